import type { CompiledFilter, CompiledProfile } from '../../contracts/compiled-profile.ts'
import type { Filter } from '../../contracts/filter.ts'
import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import { hostStatuses } from '../../records/change.ts'
import type { FilterCount } from '../../records/decision.ts'
import { readsOf } from '../../report/stats-fields.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type PreparedFilter, withCopiedMethods } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ADMITTED_DOMAINS } from '../../values/levels.ts'
import { atOnce, HOSTS_AT_ONCE, type Steps, WHOLE } from '../../values/steps.ts'
import { nameOwnUnsent } from '../namespaces/own-unsent.ts'
import { prepareReaderInUse } from '../namespaces/reader-in-use.ts'
import { holdsOneAlone, refusesEmptyHost } from './empty-host.ts'
import type { FilterStep } from './filter-step.ts'
import { asksApart, serverGroupApartFilter } from './groups-apart.ts'
import { refuseUnreported } from './not-reported.ts'
import { passesSafely } from './passes-safely.ts'
import { runCachedInSteps } from './run-cached.ts'
import { reasonOf } from './step-reasons.ts'
import { createTopologySpreadFilter } from './topology-spread.ts'
import { cacheNameOf } from './verdict-cache.ts'

/** Returns true if a step applies to the request. A step whose preparation failed always applies. It refuses every host. */
export const isAsked = ({ prepared, failed }: FilterStep): boolean => prepared !== undefined || failed

export interface Filtered {
  /** The hosts that passed, in the order of their indexes. */
  readonly hosts: Int32Array
  readonly steps: readonly FilterCount[]
}

/**
 * Prepares the filters of a profile for a request, the candidates filter first. The result is valid while the fleet has the same hosts.
 * Filters that the request's `forceVerify` excludes do not run on forced hosts.
 */
export const prepareFilters = (compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): readonly FilterStep[] =>
  atOnce(prepareFiltersInSteps(compiled, request, fleet))

/**
 * `prepareFilters` as a generator that yields after each filter, because some filters examine all hosts or all aggregates when they are
 * prepared.
 */
export function* prepareFiltersInSteps(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet): Steps<readonly FilterStep[]> {
  const isVerified = isVerifiedOf(request)
  const plugins = pluginsOf(fleet)
  const complete = prepareReaderInUse(fleet)
  const prepare = (step: CompiledFilter): FilterStep => {
    const { filter, options, isNet, isOutside } = step
    const isOfPlugin = plugins.filters.includes(filter)
    const { name, admits, readsHostOnly = false, readsOtherHosts = !readsHostOnly && isOfPlugin } = filter
    const stepOf = (prepared: PreparedFilter | undefined, cacheName: string | undefined): FilterStep => ({
      name,
      prepared,
      failed: false,
      complete,
      isNet,
      isOutside,
      readsHostOnly,
      readsOtherHosts,
      cacheName,
      admits,
    })
    if (!isVerified(step)) return stepOf(undefined, undefined)
    try {
      const prepared = filter.prepare(request, fleet, options)
      if (prepared === undefined) return stepOf(undefined, undefined)
      const cacheName = isOfPlugin ? undefined : cacheNameOf(step, request, fleet)
      const reads = readsOf(filter.reads, options)
      const named = isOfPlugin || isOutside ? nameOwnUnsent(withCopiedMethods(prepared), fleet, reads) : prepared
      // for a filter outside of this process, missing fields were checked before the filter was called
      return stepOf(refuseUnreported(named, fleet, isOutside ? [] : reads, options), cacheName)
    } catch (error) {
      return { ...stepOf(undefined, undefined), failed: true, error }
    }
  }
  const candidates = prepare(asCandidates(compiled))
  // if preparing the candidates filter failed, all hosts enter this step, and the step refuses all of them
  const named = candidates.failed ? undefined : compiled.candidates.named?.(request, fleet)
  const steps: FilterStep[] = [{ ...candidates, ...(named !== undefined && { named }) }]
  for (const step of compiled.filters) {
    if ((step.sinceLevel ?? 0) > fleet.featureLevel) continue
    yield
    steps.push(prepare(step))
  }
  // the last steps are added only for requests that need them, so that the cached data of other requests remains valid
  if (asksApart(request, fleet)) steps.push(prepare(asClaims(compiled, serverGroupApartFilter)))
  if (request.topologySpread.length === 0) return steps
  yield
  return [...steps, prepare(asClaims(compiled, createTopologySpreadFilter(countedHosts(steps, request, fleet))))]
}

const MAINTENANCE = hostStatuses.indexOf('MAINTENANCE')

/**
 * Returns a function that is true for hosts whose domains are considered in a topology spread. Such a host is admitted by the request,
 * could hold an instance if it were empty, and is not in MAINTENANCE. Disabled, down and full hosts are included, because members can be
 * placed on them later. Below feature level ADMITTED_DOMAINS every host is included.
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
      (step) => step.prepared === undefined || passesSafely(step.prepared, host) !== false || !refusesEmptyHost(reasonOf(step, host).code),
    )
}

const asCandidates = ({ candidates }: CompiledProfile): CompiledFilter => ({
  filter: candidates,
  options: {},
  isNet: false,
  isOutside: false,
  verifiedAt: 'NONE',
})

/** The compiled form of a filter for a rule that every claim must satisfy under any profile. */
const asClaims = ({ profile }: CompiledProfile, filter: Filter): CompiledFilter => ({
  filter,
  options: {},
  isNet: profile.compat === 'nova',
  isOutside: false,
  verifiedAt: 'NONE',
})

/** The levels of `forceVerify`. On forced hosts, filters of the request's level and of lower levels run. */
const levels = { NONE: 0, HARD: 1, ALL: 2 } as const

function isVerifiedOf({ forceHosts, forceNodes, forceVerify }: RequestSpec): (filter: CompiledFilter) => boolean {
  const level = forceHosts.length + forceNodes.length === 0 ? levels.ALL : levels[forceVerify]
  return ({ verifiedAt }) => levels[verifiedAt] <= level
}

/** Runs every filter over the remaining hosts. If a filter throws on a host, the host is refused. */
export const runFilters = (steps: readonly FilterStep[], fleet: Fleet): Filtered => atOnce(runFiltersInSteps(steps, fleet, WHOLE))

/** `runFilters` as a generator that yields after about `slice` calls of filters. The fleet must not change until the generator ends. */
export function* runFiltersInSteps(steps: readonly FilterStep[], fleet: Fleet, slice = HOSTS_AT_ONCE): Steps<Filtered> {
  const asked = steps.filter(isAsked)
  let entered = fleet.hosts.presentCount
  const named = asked[0]?.named
  if (named === undefined && asked.some(({ cacheName }) => cacheName !== undefined)) return yield* runCachedInSteps(asked, fleet, slice)
  const hosts = named === undefined ? everyHost(fleet) : Int32Array.from(named)
  let left = hosts.length
  const counts: FilterCount[] = []
  // the slice counts the calls of all filters together, so with few hosts several filters run before the generator yields
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

/**
 * Calls the filter for the hosts at the positions `from` to `to`, and moves those that pass to the front of the list, after the first
 * `before` hosts. Returns the new count of hosts at the front.
 */
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
    // the filter threw, so the next loop calls it again for the same host with error handling
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
