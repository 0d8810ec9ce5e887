import type { Cause } from '../../cause/cause.ts'
import { restated } from '../../contracts/restated.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { groupOf } from '../../schedulers/filter-scheduler.ts'
import { wayOutInSteps } from '../../schedulers/way-out.ts'
import type { HostName } from '../../values/host-name.ts'
import type { Steps } from '../../values/steps.ts'
import type { FleetEdits } from '../edits.ts'
import { containsAll, isRedundant, minimal } from './minimal/minimal.ts'
import { hasMoreRanges } from './minimal/numbers.ts'
import { type Candidate, INSTANCES, isLowered, type Kept, sharedRoom } from './minimal/shared-room.ts'
import { loweredTogether } from './pairs/lowered-together.ts'
import { createQueue, isLastResort } from './queue/queue.ts'
import { anotherHost } from './remedies/another-host.ts'
import { proposalsFor, proposalsForSeveral } from './remedies/index.ts'
import type { ChangeKind, ProposedChange } from './remedies/remedy.ts'
import { type Survey, surveyRefusals } from './survey.ts'
import { type Applied, applyTo, createFleets, decideOn, inputOf, nothing, type Trial, tryOn } from './trial.ts'

export interface WhatWouldFitOptions {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  /** Only changes of these kinds are returned. */
  readonly kinds: readonly ChangeKind[]
  /** At most this many changes form one proposal: 1 or 2. */
  readonly maxChanges: number
  /** At most this many proposals are returned. */
  readonly first: number
  /** Only proposals that let at least this many hosts pass are returned. */
  readonly minHosts: number
  /** For the request of a move: the host that the instance must leave. No change that would let the instance stay there is proposed. */
  readonly leaves?: string | undefined
  /** At most this many decisions are tried. */
  readonly maxRuns: number
  isOver(): boolean
}

/** A proposal: changes with which the request was placed in a trial. */
export interface Counterfactual {
  /**
   * The kind of the change with the widest effect: POLICY if there is a policy change, otherwise FLEET if there is a change of the fleet,
   * otherwise REQUEST.
   */
  readonly kind: ChangeKind
  readonly changes: readonly ProposedChange[]
  /** With the changes, how many hosts pass every filter for the first instance that found no host without the changes. */
  readonly unlocks: number
  /** At most five hosts: first the host that would be chosen, and then other hosts that pass. */
  readonly exampleHosts: readonly HostName[]
  readonly effort: number
  readonly text: string
  /**
   * The result of the changes: the request, the edits of the fleet, and the profile's filters. `filters` is undefined if they are
   * unchanged.
   */
  readonly request: RequestSpec
  readonly edits: FleetEdits
  readonly filters: Profile['filters'] | undefined
}

export interface WhatWouldFit {
  /** True if the request is placed without any change. */
  readonly fits: boolean
  /** The proposals, sorted by `effort`, smallest first, and then by `unlocks`, largest first. */
  readonly counterfactuals: readonly Counterfactual[]
  /** The cause of the refusal of the unchanged request. Null if it fits. */
  readonly cause: Cause | null
  /**
   * An order in which all instances of the unchanged request can be placed, as text. Undefined if none was found, if there was no time to
   * search, or if the request fits.
   */
  readonly way: string | undefined
  /** How many decisions were tried. */
  readonly runs: number
  /**
   * Why better proposals are possibly missing: the deadline was reached, or a limit for decisions, hosts or ranges of numbers. Null if all
   * candidates were tried. Not every pair of changes is a candidate.
   */
  readonly cut: 'deadline' | 'limit' | null
  /** How many refused hosts were not considered, although they possibly need smaller changes than the considered hosts. */
  readonly leftOut: number
}

const MAX_REFINED = 6
/**
 * If this fraction of the allowed decisions has found nothing, simple changes for the nearest hosts are tried next (`tryPlain`), with at
 * most the same fraction of the allowed decisions.
 */
const SHARE_OF_PLAIN = 1 / 8
/** While nothing is found, the search for the numbers of one candidate may use at most this fraction of the allowed decisions. */
const SHARE_OF_NUMBERS = 1 / 2

/**
 * Finds the smallest changes that make a request fit. Remedies propose changes for the refusals of the nearest hosts. The sets of changes
 * are tried in order of effort: a set is applied to a copy of the fleet, and the request is decided there. If the request is placed, the
 * set becomes a proposal. Otherwise, changes for the remaining refusals are added. The fleet must be a private copy.
 */
export function* whatWouldFit(fleet: Fleet, options: WhatWouldFitOptions): Steps<WhatWouldFit> {
  const { request, maxChanges, first, minHosts, leaves, maxRuns, isOver } = options
  const start = yield* decideOn(fleet, options.seed, request, options.profile, nothing)
  if (start.found === request.numInstances)
    return { fits: true, counterfactuals: [], cause: null, way: undefined, runs: 1, cut: null, leftOut: 0 }
  yield
  const survey = yield* surveyOn(fleet, options)
  const queue = createQueue(options.kinds)
  queue.add(fewerInstances(request, start.found), [], survey.nearest[0]?.name, 0)
  // proposes one more host like the host that took the last instance, because such a host would take one more instance
  for (const part of start.parts.slice(-1)) queue.add([anotherHost(part)], [], part, 0)
  for (const { name, refusals } of survey.nearest)
    queue.add(
      name.host === leaves
        ? [anotherHost(name)]
        : refusals.slice(0, 1).flatMap((refusal) => [...proposalsFor(refusal), ...proposalsForSeveral(refusal)]),
      [],
      name,
      0,
    )
  if (maxChanges > 1 && (request.numInstances > 1 || minHosts > 1))
    for (const { changes, host } of yield* loweredTogether(survey)) queue.add(changes.slice(1), changes.slice(0, 1), host, 0)
  const fleets = createFleets(fleet)
  const eased = new Set<string>()
  let results: Kept[] = []
  let runs = 1
  let cut: WhatWouldFit['cut'] = null
  let isPartial = false
  const isKnown = (one: Pick<Kept, 'candidate' | 'applied'>): boolean => results.some((known) => isRedundant(one, known))
  /** Reduces a set of changes (`minimal`), and adds it to the results unless a known result makes it redundant. */
  function* addResult(kept: Kept, isOtherOrder = false): Steps<void> {
    if (!isOtherOrder && isKnown(kept)) return
    const found = yield* minimal({ ...options, fleets, failed: start.found }, kept, maxRuns - runs)
    runs += found.runs
    if (found.isCut) cut = isOver() ? 'deadline' : 'limit'
    // if the search was cut, its result can be larger than necessary, so the result is used only if there is no other result
    const least = found.isCut && results.length > 0 ? undefined : found.kept
    if (least !== undefined && !isKnown(least)) results = [...results.filter((other) => !isRedundant(other, least)), least].sort(leastFirst)
  }
  const tried = new Map<Candidate, { readonly hosts: number; readonly trial: Trial }>()
  /** Decides with the changes of a candidate. The result is cached until the candidate gets a further host. */
  function* trialOf(own: Fleet, candidate: Candidate, applied: Applied): Steps<Trial> {
    const hosts = candidate.hosts.length
    const known = tried.get(candidate)
    if (known?.hosts === hosts) return known.trial
    runs++
    const trial = yield* tryOn(own, options.seed, applied, candidate.hosts, start.found)
    tried.set(candidate, { hosts, trial })
    return trial
  }
  /** Tries simple changes for the nearest hosts until one suffices. The search then continues with candidates of less effort. */
  function* tryPlain(): Steps<void> {
    const most = Math.min(maxRuns, runs + Math.ceil(maxRuns * SHARE_OF_PLAIN))
    for (const candidate of queue.plain(survey)) {
      if (results.length > 0 || cut !== null || runs >= most || isOver()) return
      yield
      const applied = applyTo(request, options.profile, candidate.changes)
      const own = yield* fleets.with(applied.edits)
      if (own === undefined) continue
      const trial = yield* trialOf(own, candidate, applied)
      if (trial.placed && trial.unlocks >= minHosts) yield* addResult({ candidate, trial, applied })
    }
  }
  const mostOfNumbers = (): number =>
    results.length > 0 ? maxRuns - runs : Math.min(maxRuns - runs, Math.ceil(maxRuns * SHARE_OF_NUMBERS))
  let isPlainTried = false
  for (let candidate = queue.next(); candidate !== undefined && cut === null; candidate = queue.next()) {
    if (!isPlainTried && results.length === 0 && runs >= maxRuns * SHARE_OF_PLAIN) {
      isPlainTried = true
      yield* tryPlain()
    }
    // stops if all further candidates have more effort than the results that will be shown
    const rivals = isLastResort(candidate) ? results : results.filter((known) => !isLastResort(known.candidate))
    const last = rivals[first - 1]?.candidate
    if (last !== undefined && last.effort < candidate.effort) break
    // of candidates with the same effort, only a part of a result can still replace a result
    if (last?.effort === candidate.effort && !rivals.some((known) => containsAll(known.candidate.changes, candidate.changes))) continue
    if (isLastResort(candidate) && results.some(({ candidate: known }) => isHarmless(known))) break
    if (cut === null && isOver()) cut = 'deadline'
    if (cut === null && runs >= maxRuns) cut = 'limit'
    if (cut !== null) break
    yield
    const applied = applyTo(request, options.profile, candidate.changes)
    if (isKnown({ candidate, applied })) continue
    const own = yield* fleets.with(applied.edits)
    if (own === undefined) continue
    isPartial ||= candidate.changes.some(({ number }) => number !== undefined && hasMoreRanges(number))
    const trial = yield* trialOf(own, candidate, applied)
    if (trial.placed && trial.unlocks >= minHosts) {
      yield* addResult({ candidate, trial, applied })
      continue
    }
    if (runs < maxRuns) {
      const shared = yield* sharedRoom(fleets, options, candidate, eased, { failed: start.found, maxRuns: mostOfNumbers() })
      runs += shared.runs
      isPartial ||= shared.isPartial
      if (shared.kept !== undefined) yield* addResult(shared.kept)
      // of two numbers, the number that is optimised first limits the second, so the reverse order is tried too
      if (shared.kept !== undefined && candidate.changes.filter(isLowered).length > 1 && cut === null)
        yield* addResult(withReversed(shared.kept), true)
    }
    if (trial.placed) continue
    const { changes, refined } = candidate
    for (const { host, changes: next } of trial.next) {
      if (host.host === leaves) continue
      const replaced = next.filter(({ subject }) => changes.some((change) => change.subject === subject))
      if (refined < MAX_REFINED)
        for (const change of replaced)
          queue.add(
            [insteadOf(changes.find(({ subject }) => subject === change.subject) ?? change, change)],
            changes.filter(({ subject }) => subject !== change.subject),
            host,
            refined + 1,
          )
      if (changes.length < maxChanges)
        queue.add(
          next.filter((change) => !replaced.includes(change)),
          changes,
          host,
          refined,
        )
    }
    // if some instances found a host with these changes, the changes can suffice for a request for fewer instances
    if (changes.length < maxChanges && !changes.some(({ subject }) => subject === INSTANCES))
      for (const host of candidate.hosts) queue.add(fewerInstances(request, trial.found), changes, host, refined)
  }
  const shown = results.some(({ candidate }) => isHarmless(candidate))
    ? results.filter(({ candidate }) => !isLastResort(candidate))
    : results
  const counterfactuals = shown.slice(0, first).map(({ candidate, trial, applied }) => toCounterfactual(candidate, trial, applied))
  const way = isOver() ? undefined : yield* wayOn(fleet, options, survey.cause)
  const { cause, leftOut } = survey
  return { fits: false, counterfactuals, cause, way, runs, cut: cut ?? (leftOut > 0 || isPartial ? 'limit' : null), leftOut }
}

/** The refusals of the first instance that finds no host, while the earlier instances hold their resources. */
function* surveyOn(fleet: Fleet, { request, profile, seed, minHosts }: WhatWouldFitOptions): Steps<Survey> {
  const { found, parts, judged } = yield* decideOn(fleet, seed, request, profile, nothing)
  yield
  const overlay = openOverlay(fleet)
  try {
    for (const part of parts) overlay.hold(part, groupOf(request))
    return yield* surveyRefusals(fleet, request, profile, { instance: found, minHosts, judged })
  } finally {
    overlay.discard()
  }
}

function* wayOn(fleet: Fleet, { request, profile, seed }: WhatWouldFitOptions, cause: Cause): Steps<string | undefined> {
  const overlay = openOverlay(fleet)
  try {
    return yield* wayOutInSteps(fleet, overlay, inputOf(request, profile, seed), cause)
  } finally {
    overlay.discard()
  }
}

const withReversed = ({ candidate, ...kept }: Kept): Kept => ({
  ...kept,
  candidate: { ...candidate, changes: candidate.changes.toReversed() },
})

const leastFirst = (a: Kept, b: Kept): number => a.candidate.effort - b.candidate.effort || b.trial.unlocks - a.trial.unlocks

/** True if each change of a candidate only changes the request or waits, and none is a last resort. */
const isHarmless = (candidate: Candidate): boolean =>
  !isLastResort(candidate) && candidate.changes.every(({ kind, waits }) => kind === 'REQUEST' || waits)

/**
 * The change that replaces an insufficient change (`before`) of the same subject. The `from` of the result is the original value, and not
 * the result of the insufficient change.
 */
function insteadOf(before: ProposedChange, change: ProposedChange): ProposedChange {
  if (before.number !== undefined && change.number !== undefined) return before.number.at(change.number.to, change.number.step)
  return { ...change, from: before.from, effort: Math.max(before.effort, change.effort) }
}

/** Proposes to place fewer instances. Proposes nothing for a gang, which must be placed as a whole. */
function fewerInstances({ numInstances, gang }: RequestSpec, found: number): ProposedChange[] {
  return found === 0 || numInstances === 1 || gang.length > 0 ? [] : [countOf(numInstances, found)]
}

const countOf = (now: number, count: number): ProposedChange => ({
  kind: 'REQUEST',
  subject: INSTANCES,
  from: String(now),
  to: String(count),
  effort: 2 + (4 * (now - count)) / now,
  request: (request) => restated(request, { numInstances: count, instanceUuids: request.instanceUuids.slice(0, count) }),
  number: { from: now, to: count, at: (other) => countOf(now, other) },
})

function toCounterfactual(
  { changes, effort }: Candidate,
  { unlocks, hosts, address }: Trial,
  { request, edits, filters }: Applied,
): Counterfactual {
  const kinds = changes.map(({ kind }) => kind)
  const kind = (['POLICY', 'FLEET'] as const).find((one) => kinds.includes(one)) ?? 'REQUEST'
  const texts = changes.map(({ kind: of, subject, namesKind, from, to }) => {
    // the subject already contains the misspelt name
    const isSaid = from !== null && `${subject} of `.includes(` ${from} of `)
    const before = from === null || isSaid ? subject : `${subject}${namesKind ? ':' : ''} ${from}`
    return `${of.toLowerCase()}: ${before} -> ${to}`
  })
  const where = address === null ? '' : ` (${address}${unlocks > 1 ? ' and others' : ''})`
  const text = `${texts.join('; ')}: unlocks ${unlocks} ${unlocks === 1 ? 'host' : 'hosts'}${where}`
  return { kind, changes, unlocks, exampleHosts: hosts, effort: Math.round(effort * 100) / 100, text, request, edits, filters }
}
