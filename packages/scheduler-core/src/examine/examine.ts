import { admittedIn, type Cause, causeInSteps } from '../cause/cause.ts'
import type { CompiledProfile, CompiledWeigher } from '../contracts/compiled-profile.ts'
import type { Verdict } from '../contracts/filter.ts'
import { pluginsOf } from '../contracts/plugins.ts'
import type { Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { FilterStep } from '../pipeline/filtering/filter-step.ts'
import { whyUnreported } from '../pipeline/filtering/not-reported.ts'
import { passesSafely } from '../pipeline/filtering/passes-safely.ts'
import { isAsked, prepareFilters, prepareFiltersInSteps } from '../pipeline/filtering/run-filters.ts'
import { examineShadows, type ShadowStep } from '../pipeline/filtering/shadow-filters.ts'
import { factsOf, reasonOf } from '../pipeline/filtering/step-reasons.ts'
import { type ExaminedStep, type Findings, NOT_PRESENT, PASSES_ALL } from '../pipeline/findings.ts'
import { prepareOwnUnsent } from '../pipeline/namespaces/own-unsent.ts'
import { prepareReaderInUse } from '../pipeline/namespaces/reader-in-use.ts'
import { judgedInstance } from '../pipeline/rounds.ts'
import { createChanceOrder, createTieOrder, rankAll } from '../pipeline/weighing/pick.ts'
import { prepareWeighers, runWeighersInSteps, type Weighed } from '../pipeline/weighing/run-weighers.ts'
import type { Profile } from '../records/profile.ts'
import { readsOf } from '../report/stats-fields.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Fact } from '../text/evidence.ts'
import type { Reason, ReasonCount } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, type Steps } from '../values/steps.ts'

/** The result of one filter for one host. */
export interface Check {
  readonly filter: string
  readonly verdict: Verdict
  /** Present if the verdict is FAIL or ERROR. */
  readonly reason?: Reason
  /** The values that the filter compared. The values that are in the sentence of the reason are first. Present if there is a reason. */
  readonly facts?: readonly Fact[]
}

/** The results of a profile's filters for single hosts. Valid until the fleet changes. */
export interface HostChecks {
  /** The result of every filter on a host, in order. With `shortCircuit`, filters after the first refusal are not run. */
  checksOf(host: HostIndex, shortCircuit?: boolean): readonly Check[]
  /** Why a filter refuses a host. `step` is the position of the filter, which must be a filter that refuses the host. */
  reasonOf(host: HostIndex, step: number): Reason
  /** The cause of the refusal. Call this only if no host passes. */
  cause(): Steps<Cause>
}

export interface Examination extends Findings, HostChecks {
  /** The refusals by filters in shadow mode. `steps` does not contain them. */
  shadows(): Steps<readonly ShadowStep[]>
}

/**
 * Runs every filter on every host, and the weighers on the hosts that pass. A decision is faster, because for each host it stops at the
 * first filter that refuses the host. The ranking is the order in which the profile's scheduler prefers hosts for the instance.
 */
export const examine = (...asked: Parameters<typeof examineInSteps>): Examination => atOnce(examineInSteps(...asked))

/** The generator yields after this many hosts. */
const SLICE = 128

/** `examine` as a generator that yields regularly. The fleet must not change until the generator ends. */
export function* examineInSteps(
  fleet: Fleet,
  asked: RequestSpec,
  profile: Profile,
  seed: string,
  instance = 0,
  isShortCircuited = false,
): Steps<Examination> {
  const { request, compiled, tieOrder: inRound } = judgedInstance(fleet, asked, profile, instance)
  const isChance = profile.scheduler === 'chance'
  const steps = yield* prepareFiltersInSteps(compiled, request, fleet)
  const { count, presentCount: hostCount } = fleet.hosts
  const firstRefusing = new Uint8Array(count).fill(PASSES_ALL)
  for (let host = 0; host < count; host++) if (fleet.hosts.columns.gone[host] === 1) firstRefusing[host] = NOT_PRESENT
  const bytesPerHost = Math.ceil(steps.length / 8)
  const refusedBy = new Uint8Array(count * bytesPerHost)
  const refusals = new Uint8Array(count)
  for (const [s, step] of steps.entries()) {
    if (!isAsked(step)) continue
    for (let host = 0; host < count; host++) {
      if (host % SLICE === SLICE - 1) yield
      if (firstRefusing[host] === NOT_PRESENT) continue
      const wasRefused = firstRefusing[host] !== PASSES_ALL
      if ((wasRefused && isShortCircuited) || isCaughtBefore(step, wasRefused) || verdictOf(step, host as HostIndex) === 'PASS') continue
      if (!wasRefused) firstRefusing[host] = s
      refusals[host] = (refusals[host] as number) + 1
      const byte = host * bytesPerHost + (s >> 3)
      refusedBy[byte] = (refusedBy[byte] as number) | (1 << (s & 7))
    }
  }
  const passing: number[] = []
  // if only one filter refuses a host, it is also the first filter that refuses the host
  const sole = new Uint32Array(steps.length)
  for (let host = 0; host < count; host++) {
    const first = firstRefusing[host] as number
    if (first === PASSES_ALL) passing.push(host)
    else if (refusals[host] === 1) sole[first] = (sole[first] as number) + 1
  }
  const weighed = yield* runWeighersInSteps(
    isChance || passing.length < compiled.weighsFrom ? [] : prepareWeighers(compiled, request, fleet),
    Int32Array.from(passing),
  )
  const admitted = new Uint8Array(count)
  for (const host of (yield* admittedIn(steps, { fleet, request, whole: asked, instance })).hosts) admitted[host] = 1
  const tieOrder = inRound ?? (isChance ? createChanceOrder(seed, instance) : createTieOrder(profile, seed))
  let left = hostCount
  const found: ExaminedStep[] = []
  for (const [s, step] of steps.entries()) {
    const entered = left
    const reasons = yield* countReasons(step, count, (host) => firstRefusing[host] === s)
    left -= reasons.reduce((sum, { hosts }) => sum + hosts, 0)
    const soleRejections = sole[s] as number
    found.push({
      ...{ filter: step.name, asked: isAsked(step), isNet: step.isNet },
      ...{ entered, passed: left, soleRejections, reasons },
    })
  }
  return {
    ...checksBy(steps, () => causeInSteps(fleet, asked, profile, instance)),
    shadows: () => examineShadows(fleet, asked, profile, instance, { firstRefusing }),
    hostCount,
    isShortCircuited,
    firstRefusing,
    admitted,
    bytesPerHost,
    refusedBy,
    weighed,
    multiplierSources: yield* sourcesOf(compiled, fleet, weighed),
    unscored: yield* unscoredOf(compiled, request, fleet, weighed),
    ranked: yield* rankAll(weighed, tieOrder),
    tieOrder,
    awake: yield* awakeOf(compiled, request, fleet, weighed),
    steps: found,
  }
}

/** Prepares the filters for checks of single hosts. For all hosts, `examine` is cheaper. */
export function prepareChecks(fleet: Fleet, request: RequestSpec, profile: Profile, instance = 0): HostChecks {
  const judged = judgedInstance(fleet, request, profile, instance)
  const steps = prepareFilters(judged.compiled, judged.request, fleet)
  return checksBy(steps, () => causeInSteps(fleet, request, profile, instance))
}

/** `prepareChecks` as a generator that yields between two filters. */
export function* prepareChecksInSteps(fleet: Fleet, request: RequestSpec, profile: Profile, instance = 0): Steps<HostChecks> {
  const judged = judgedInstance(fleet, request, profile, instance)
  const steps = yield* prepareFiltersInSteps(judged.compiled, judged.request, fleet)
  return checksBy(steps, () => causeInSteps(fleet, request, profile, instance))
}

function checksBy(steps: readonly FilterStep[], cause: HostChecks['cause']): HostChecks {
  return {
    cause,
    checksOf(host, shortCircuit = false) {
      let refused = false
      return steps.map((step): Check => {
        if (refused && shortCircuit) return { filter: step.name, verdict: 'NOT_RUN' }
        if (isCaughtBefore(step, refused)) return { filter: step.name, verdict: isAsked(step) ? 'NOT_RUN' : 'NOT_ASKED' }
        const verdict = verdictOf(step, host)
        if (verdict !== 'FAIL' && verdict !== 'ERROR') return { filter: step.name, verdict }
        refused = true
        const reason = reasonOf(step, host)
        return { filter: step.name, verdict, reason, facts: factsOf(step, host, reason) }
      })
    },
    reasonOf: (host, s) => reasonOf(steps[s] as FilterStep, host),
  }
}

/** For each weigher, the hosts about which nothing was reported that the weigher reads, with the reason. */
function* unscoredOf({ weighers }: CompiledProfile, request: RequestSpec, fleet: Fleet, weighed: Weighed): Steps<Findings['unscored']> {
  const found: Map<HostIndex, Reason>[] = []
  for (const [w, { hasNonsense }] of weighed.weighers.entries()) {
    const reasons = new Map<HostIndex, Reason>()
    found.push(reasons)
    const compiled = weighers[w]
    if (compiled === undefined) continue
    const reasonOf = whyUnscored(compiled, request, fleet, hasNonsense === true)
    if (reasonOf === undefined) continue
    for (const [i, host] of weighed.hosts.entries()) {
      if (i % SLICE === SLICE - 1) yield
      const reason = reasonOf(host as HostIndex)
      if (reason !== undefined) reasons.set(host as HostIndex, reason)
    }
  }
  return found
}

/** Why hosts have no score of their own. `isNone`: at least one host has no valid score. Undefined if every host has a score of its own. */
function whyUnscored(
  { weigher, options }: CompiledWeigher,
  request: RequestSpec,
  fleet: Fleet,
  isNone: boolean,
): ((host: HostIndex) => Reason | undefined) | undefined {
  const unreported = isNone ? whyUnreported(fleet, readsOf(weigher.reads, options), options) : undefined
  const ownUnsent = isOfPlugin(fleet, weigher) ? prepareOwnUnsent(fleet, readsOf(weigher.reads, options)) : undefined
  const missing =
    weigher.missing?.(request, fleet, options) ?? (ownUnsent && ((host: HostIndex) => ownUnsent(fleet.hosts.get(host))?.reason))
  if (missing === undefined) return unreported
  const complete = prepareReaderInUse(fleet)
  return (host) => {
    const reason = missing(host)
    return reason === undefined ? unreported?.(host) : complete(reason)
  }
}

const isOfPlugin = (fleet: Fleet, weigher: Weigher): boolean =>
  weigher.outside !== undefined || pluginsOf(fleet).ownerOf(weigher.name) !== undefined

function* sourcesOf({ weighers }: CompiledProfile, fleet: Fleet, weighed: Weighed): Steps<Findings['multiplierSources']> {
  const all: Map<HostIndex, string>[] = []
  for (const [i] of weighed.weighers.entries()) {
    const sources = new Map<HostIndex, string>()
    all.push(sources)
    const { weigher, options, multiplier } = weighers[i] as CompiledWeigher
    const own = weigher.multipliers?.(fleet, options, multiplier).own
    if (own === undefined) continue
    for (const [position, index] of weighed.hosts.entries()) {
      if (position % SLICE === SLICE - 1) yield
      const source = own.source(index as HostIndex)
      if (source !== undefined) sources.set(index as HostIndex, source)
    }
  }
  return all
}

function* awakeOf(compiled: CompiledProfile, request: RequestSpec, fleet: Fleet, { weighers, hosts }: Weighed): Steps<Findings['awake']> {
  const awake: (Float64Array | undefined)[] = []
  for (const [w, { multiplier }] of weighers.entries()) {
    const on = { ...(compiled.weighers[w] as CompiledWeigher), multiplier: 1 }
    const weighed =
      multiplier === 0 ? yield* runWeighersInSteps(prepareWeighers({ ...compiled, weighers: [on] }, request, fleet), hosts) : undefined
    awake.push(weighed?.weighers[0]?.normalised)
  }
  return awake
}

/**
 * True if a filter is skipped for a host that an earlier filter refused. The filters that check the rules of claims would only repeat
 * earlier refusals. Filters outside of this process were called only for hosts that pass all other filters.
 */
const isCaughtBefore = ({ isNet, isOutside }: FilterStep, refused: boolean): boolean => (isNet || isOutside) && refused

function verdictOf({ prepared, failed }: FilterStep, host: HostIndex): Verdict {
  if (failed) return 'ERROR'
  if (prepared === undefined) return 'NOT_ASKED'
  const verdict = passesSafely(prepared, host)
  return verdict === undefined ? 'ERROR' : verdict ? 'PASS' : 'FAIL'
}

/** Counts the reasons of one filter, most frequent first. Only hosts that no earlier filter refused are counted. */
function* countReasons(step: FilterStep, hostCount: number, isRefused: (host: number) => boolean): Steps<ReasonCount[]> {
  const counts = new Map<Reason['code'], { hosts: number; example: Reason }>()
  for (let host = 0; host < hostCount; host++) {
    if (host % SLICE === SLICE - 1) yield
    if (!isRefused(host)) continue
    const reason = reasonOf(step, host as HostIndex)
    const count = counts.get(reason.code)
    if (count === undefined) counts.set(reason.code, { hosts: 1, example: reason })
    else count.hosts++
  }
  return [...counts].map(([code, { hosts, example }]) => ({ filter: step.name, code, hosts, example })).sort((a, b) => b.hosts - a.hosts)
}

/**
 * Counts the reasons for which hosts refuse an instance of a request, in the order of the filters. The counts are equal to those of
 * `examine`. Each host is evaluated only up to the first filter that refuses it.
 */
export const refusalsOf = (...asked: Parameters<typeof refusalsInSteps>): readonly ReasonCount[] => atOnce(refusalsInSteps(...asked))

/** `refusalsOf` as a generator that yields regularly. The fleet must not change until the generator ends. */
export function* refusalsInSteps(fleet: Fleet, asked: RequestSpec, profile: Profile, instance = 0): Steps<readonly ReasonCount[]> {
  const isOut = fleet.hosts.columns.gone.slice(0, fleet.hosts.count)
  const counts: ReasonCount[] = []
  const { request, compiled } = judgedInstance(fleet, asked, profile, instance)
  const steps = yield* prepareFiltersInSteps(compiled, request, fleet)
  for (const step of steps) {
    if (!isAsked(step)) continue
    const reasons = yield* countReasons(step, isOut.length, (host) => {
      if (isOut[host] === 1 || verdictOf(step, host as HostIndex) === 'PASS') return false
      isOut[host] = 1
      return true
    })
    counts.push(...reasons)
  }
  return counts
}
