import type { FilterCount } from '../decision/decision.ts'
import type { Filter } from '../filters/filter.ts'
import { hostStatuses } from '../fleet/change.ts'
import { at } from '../fleet/columns.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { ADMITTED_DOMAINS } from '../fleet/levels.ts'
import { readsOf } from '../fleet/stats-fields.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../fleet/steps.ts'
import type { HostIndex } from '../host-index.ts'
import { pluginsOf } from '../plugin/plugins.ts'
import type { PreparedFilter } from '../prepared-filter.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { CompiledFilter, CompiledProfile } from './compiled-profile.ts'
import type { FilterStep } from './filter-step.ts'
import { holdsOneAlone, isForGood } from './for-good.ts'
import { asksApart, serverGroupApartFilter } from './groups-apart.ts'
import { refuseUntold } from './not-reported.ts'
import { reasonOf } from './step-reasons.ts'
import { createTopologySpreadFilter } from './topology-spread.ts'

/** Whether the request asks anything of a step: one that failed refuses every host. */
export const isAsked = ({ prepared, failed }: FilterStep): boolean => prepared !== undefined || failed

export interface Filtered {
  /** Hosts that passed, in order of index. */
  readonly hosts: Int32Array
  readonly steps: readonly FilterCount[]
}

/**
 * The filters of a profile made ready for a request, candidates first. Valid while the fleet's hosts stay the same ones. On forced hosts
 * those are not asked that the request's `forceVerify` leaves out.
 */
export const prepareFilters = (compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly FilterStep[] =>
  atOnce(prepareFiltersInSteps(compiled, request, fleet))

/** The same with a pause after each filter: some look at all hosts, or at all aggregates, beforehand. */
export function* prepareFiltersInSteps(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): Steps<readonly FilterStep[]> {
  const isVerified = isVerifiedOf(request)
  const prepare = (step: CompiledFilter): FilterStep => {
    const { filter, options, isNet, isOutside } = step
    const { name, admits, readsHostOnly = false, readsOtherHosts = !readsHostOnly && pluginsOf(fleet).filters.includes(filter) } = filter
    const known = { name, isNet, isOutside, readsHostOnly, readsOtherHosts, admits }
    if (!isVerified(step)) return { ...known, prepared: undefined, failed: false }
    try {
      const prepared = filter.prepare(request, fleet, options)
      // what is left out was looked at when it was asked
      const reads = isOutside ? [] : readsOf(filter.reads, options)
      return { ...known, prepared: prepared && refuseUntold(prepared, fleet, reads, options), failed: false }
    } catch (error) {
      return { ...known, prepared: undefined, failed: true, error }
    }
  }
  const candidates = prepare(asCandidates(compiled))
  // where it failed, it refuses every host
  const named = candidates.failed ? undefined : compiled.candidates.named?.(request, fleet)
  const steps: FilterStep[] = [{ ...candidates, ...(named !== undefined && { named }) }]
  for (const step of compiled.filters) {
    if ((step.sinceLevel ?? 0) > fleet.featureLevel) continue
    yield
    steps.push(prepare(step))
  }
  // steps of their own only where they are asked for: other requests, and what is kept of them, know nothing of them
  if (asksApart(request, fleet)) steps.push(prepare(asClaims(compiled, serverGroupApartFilter)))
  if (request.topologySpread.length === 0) return steps
  yield
  return [...steps, prepare(asClaims(compiled, createTopologySpreadFilter(countedHosts(steps, request, fleet))))]
}

const MAINTENANCE = hostStatuses.indexOf('MAINTENANCE')

/**
 * Which hosts make their domains count in a topology spread: those that the request admits, that could take an instance if they were empty, and
 * that are not in MAINTENANCE, which are as good as gone. Others that are disabled, down or full count: members may come there again. Below
 * ADMITTED_DOMAINS every host.
 */
export function countedHosts(
  steps: readonly FilterStep[],
  request: RequestSpec,
  { featureLevel, hosts }: Fleet,
): (host: HostIndex) => boolean {
  if (featureLevel < ADMITTED_DOMAINS) return () => true
  const asked = steps.filter((step) => isAsked(step) && !step.isOutside)
  const admitting = asked.filter(({ admits }) => admits !== undefined)
  const others = asked.filter(({ admits, failed }) => admits === undefined && !failed)
  const holdsOne = holdsOneAlone(hosts, request)
  return (host) =>
    at(hosts.columns.status, host) !== MAINTENANCE &&
    holdsOne(host) &&
    admitting.every(({ prepared }) => prepared !== undefined && passesSafely(prepared, host) === true) &&
    others.every(
      (step) => step.prepared === undefined || passesSafely(step.prepared, host) !== false || !isForGood(reasonOf(step, host).code),
    )
}

const asCandidates = ({ candidates }: CompiledProfile): CompiledFilter => ({
  filter: candidates,
  options: {},
  isNet: false,
  isOutside: false,
  verifiedAt: 'NONE',
})

/** What every claim of a request has to keep, whatever the profile says. */
const asClaims = ({ profile }: CompiledProfile, filter: Filter): CompiledFilter => ({
  filter,
  options: {},
  isNet: profile.compat === 'nova',
  isOutside: false,
  verifiedAt: 'NONE',
})

/** How much a request wants verified: the filters of its level and of those below are asked. */
const levels = { NONE: 0, HARD: 1, ALL: 2 } as const

function isVerifiedOf({ forceHosts, forceNodes, forceVerify }: RequestSpec): (filter: CompiledFilter) => boolean {
  const level = forceHosts.length + forceNodes.length === 0 ? levels.ALL : levels[forceVerify]
  return ({ verifiedAt }) => levels[verifiedAt] <= level
}

/** Runs every filter over the hosts that are still in. Fails closed: a host on which a filter throws is out. */
export const runFilters = (steps: readonly FilterStep[], fleet: Fleet): Filtered => atOnce(runFiltersInSteps(steps, fleet, WHOLE))

/** The same with pauses; the fleet must stay as it is until the end. */
export function* runFiltersInSteps(steps: readonly FilterStep[], fleet: Fleet, slice = HOSTS_AT_ONCE): Steps<Filtered> {
  const asked = steps.filter(isAsked)
  let entered = fleet.hosts.presentCount
  const named = asked[0]?.named
  const hosts = named === undefined ? everyHost(fleet) : Int32Array.from(named)
  let left = hosts.length
  const counts: FilterCount[] = []
  // of all filters together: of few hosts several are asked before a pause
  let untilPause = slice
  for (const { name, prepared } of asked) {
    let [kept, errors] = prepared === undefined ? [0, left] : [0, 0]
    for (let from = 0; prepared !== undefined && from < left; ) {
      if (untilPause === 0) {
        yield
        untilPause = slice
      }
      const to = Math.min(from + untilPause, left)
      const passed = keepPassing(prepared, hosts, { from, to }, kept)
      kept = passed.kept
      errors += passed.errors
      untilPause -= to - from
      from = to
    }
    counts.push({ filter: name, entered, passed: kept, ...(errors > 0 ? { errors } : {}) })
    entered = left = kept
  }
  return { hosts: hosts.subarray(0, left), steps: counts }
}

function everyHost({ hosts: { isWhole, count, presentIndexes } }: Fleet): Int32Array {
  if (!isWhole) return presentIndexes.slice()
  const hosts = new Int32Array(count)
  for (let host = 0; host < count; host++) hosts[host] = host
  return hosts
}

/** Moves those of some hosts that pass behind the first `kept` of the list, in their order, and tells how many it keeps then. */
function keepPassing(
  prepared: PreparedFilter,
  hosts: Int32Array,
  { from, to }: { readonly from: number; readonly to: number },
  before: number,
): { kept: number; errors: number } {
  let kept = before
  let i = from
  try {
    for (; i < to; i++) {
      const host = hosts[i] as HostIndex
      const verdict: unknown = prepared.passes(host)
      if (verdict === true) hosts[kept++] = host
      else if (verdict !== false) break
    }
  } catch {
    // the careful way below meets the same host again
  }
  let errors = 0
  for (; i < to; i++) {
    const host = hosts[i] as HostIndex
    const verdict = passesSafely(prepared, host)
    if (verdict === true) hosts[kept++] = host
    else if (verdict === undefined) errors++
  }
  return { kept, errors }
}

/** The filter's answer for a host; undefined when it threw or answered anything but true or false. */
export function passesSafely(prepared: PreparedFilter, host: HostIndex): boolean | undefined {
  try {
    const verdict: unknown = prepared.passes(host)
    return verdict === true ? true : verdict === false ? false : undefined
  } catch {
    return undefined
  }
}
