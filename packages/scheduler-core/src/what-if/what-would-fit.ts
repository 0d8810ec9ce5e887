import type { Cause } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostName } from '../fleet/host-name.ts'
import { hostKey } from '../fleet/hosts.ts'
import { openOverlay } from '../fleet/overlay.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { restated } from '../request/restated.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { wayOutInSteps } from '../schedulers/way-out.ts'
import type { FleetEdits } from './edits.ts'
import { minimal, saysNoMore } from './minimal.ts'
import { anotherHost } from './remedies/another-host.ts'
import { proposalsFor, proposalsForSeveral } from './remedies/index.ts'
import type { ChangeKind, ProposedChange } from './remedies/remedy.ts'
import { type Candidate, effortOf, INSTANCES, type Kept, sharedRoom } from './shared-room.ts'
import { type Survey, surveyRefusals } from './survey.ts'
import { type Applied, applyTo, createFleets, decideOn, inputOf, type Trial, tryOn } from './trial.ts'

export interface WhatWouldFitOptions {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  /** Only changes of these kinds. */
  readonly kinds: readonly ChangeKind[]
  /** At most so many changes at a time, 1 or 2. */
  readonly maxChanges: number
  /** At most so many answers. */
  readonly first: number
  /** Only answers that let so many hosts pass. */
  readonly minHosts: number
  /** At most so many decisions are tried. */
  readonly mostRuns: number
  isOver(): boolean
}

/** Changes with which the request was really decided, and placed. */
export interface Counterfactual {
  /** Of its greatest change: policy before fleet before request. */
  readonly kind: ChangeKind
  readonly changes: readonly ProposedChange[]
  /** Hosts that pass every filter then, where before none did: for the instance that found no host. */
  readonly unlocks: number
  /** Where it would go, then other hosts that pass; at most five. */
  readonly exampleHosts: readonly HostName[]
  readonly effort: number
  readonly text: string
  /** The request, the edits and the filters of the profile to decide with; the last undefined where they stay. */
  readonly request: RequestSpec
  readonly edits: FleetEdits
  readonly filters: Profile['filters'] | undefined
}

export interface WhatWouldFit {
  /** True: the request is placed as it is, and there is nothing to change. */
  readonly fits: boolean
  /** Least effort first, then most hosts. */
  readonly counterfactuals: readonly Counterfactual[]
  /** Why no host takes it as it is; null where it fits. */
  readonly cause: Cause | null
  /** How it can be done otherwise, in words; undefined: no such way was found, there was no time to look for one, or it fits. */
  readonly way: string | undefined
  /** Decisions tried. */
  readonly runs: number
  /** Why there may be more: null when everything that was thought of was tried. Of two changes that is not every pair. */
  readonly cut: 'deadline' | 'limit' | null
}

const MOST_REFINED = 6

/**
 * The smallest changes that make a request fit. Hosts near to passing say what refuses them; remedies say what would answer
 * that; each set of changes, least effort first, is made on a copy of the fleet and decided. What is placed then is an
 * answer; where it is not, the host says what is still in the way. The fleet must be the caller's own.
 */
export function* whatWouldFit(fleet: Fleet, options: WhatWouldFitOptions): Steps<WhatWouldFit> {
  const { request, maxChanges, first, minHosts, mostRuns, isOver } = options
  const start = yield* decideOn(fleet, options.seed, request, options.profile, () => undefined)
  if (start.found === request.numInstances) return { fits: true, counterfactuals: [], cause: null, way: undefined, runs: 1, cut: null }
  yield
  const survey = yield* surveyOn(fleet, options)
  const queue = createQueue(options)
  queue.add(fewerInstances(request, start.found), [], survey.nearest[0]?.name, 0)
  // the host that took the last of several would take another if there were two of it
  for (const part of start.parts.slice(-1)) queue.add([anotherHost(part)], [], part, 0)
  for (const { name, refusals } of survey.nearest)
    queue.add(
      refusals.slice(0, 1).flatMap((refusal) => [...proposalsFor(refusal), ...proposalsForSeveral(refusal)]),
      [],
      name,
      0,
    )
  const fleets = createFleets(fleet)
  const eased = new Set<string>()
  let told: Kept[] = []
  let runs = 1
  let cut: WhatWouldFit['cut'] = null
  const isKnown = (one: Pick<Kept, 'candidate' | 'applied'>): boolean => told.some((known) => saysNoMore(one, known))
  /** Tells it with those of its parts that are needed, and with no number farther from what it is now than it must be. */
  function* tell(kept: Kept): Steps<void> {
    if (isKnown(kept)) return
    const found = yield* minimal({ ...options, fleets, failed: start.found }, kept, mostRuns - runs)
    runs += found.runs
    const least = found.kept
    if (least === undefined) cut = isOver() ? 'deadline' : 'limit'
    else if (!isKnown(least)) told = [...told.filter((other) => !saysNoMore(other, least)), least].sort(leastFirst)
  }
  for (let candidate = queue.next(); candidate !== undefined && cut === null; candidate = queue.next()) {
    // what comes now costs more than all that will be shown
    if (told.length >= first && (told[first - 1] as Kept).candidate.effort <= candidate.effort) break
    if (isLastResort(candidate) && told.some(({ candidate: known }) => isMild(known))) break
    if (isOver()) cut = 'deadline'
    else if (runs >= mostRuns) cut = 'limit'
    if (cut !== null) break
    yield
    const applied = applyTo(request, options.profile, candidate.changes)
    if (isKnown({ candidate, applied })) continue
    const own = yield* fleets.with(applied.edits)
    if (own === undefined) continue
    runs++
    const trial = yield* tryOn(own, options.seed, applied, candidate.hosts, start.found)
    if (trial.placed) {
      if (trial.unlocks < minHosts) continue
      yield* tell({ candidate, trial, applied })
      continue
    }
    if (request.numInstances > 1 && runs < mostRuns) {
      const shared = yield* sharedRoom(own, options, candidate, eased, start.found)
      runs += shared.runs
      if (shared.kept !== undefined) yield* tell(shared.kept)
    }
    const { changes, refined } = candidate
    for (const { host, changes: next } of trial.next) {
      const replaced = next.filter(({ subject }) => changes.some((change) => change.subject === subject))
      if (refined < MOST_REFINED)
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
    // some of them found a host once this is changed
    if (changes.length < maxChanges && !changes.some(({ subject }) => subject === INSTANCES))
      for (const host of candidate.hosts) queue.add(fewerInstances(request, trial.found), changes, host, refined)
  }
  const shown = told.some(({ candidate }) => isMild(candidate)) ? told.filter(({ candidate }) => !isLastResort(candidate)) : told
  const counterfactuals = shown.slice(0, first).map(({ candidate, trial, applied }) => toCounterfactual(candidate, trial, applied))
  const way = isOver() ? undefined : yield* wayOn(fleet, options, survey.cause)
  return { fits: false, counterfactuals, cause: survey.cause, way, runs, cut }
}

/** The refusals of the first instance that found no host, as it met the fleet: what was placed before it is held meanwhile. */
function* surveyOn(fleet: Fleet, { request, profile, seed, minHosts }: WhatWouldFitOptions): Steps<Survey> {
  const { found, parts } = yield* decideOn(fleet, seed, request, profile, () => undefined)
  yield
  const overlay = openOverlay(fleet)
  try {
    for (const part of parts) overlay.hold(part, groupOf(request))
    return yield* surveyRefusals(fleet, request, profile, { seed, instance: found, minHosts })
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

const leastFirst = (a: Kept, b: Kept): number => a.candidate.effort - b.candidate.effort || b.trial.unlocks - a.trial.unlocks

const isLastResort = ({ changes }: Candidate): boolean => changes.some(({ lastResort = false }) => lastResort)

/** Another request, or waiting: nobody else is touched. */
const isMild = (candidate: Candidate): boolean =>
  !isLastResort(candidate) && candidate.changes.every(({ kind, waits }) => kind === 'REQUEST' || waits)

/** A change that takes the place of one that was too little: made of what is there, not of what that one had made of it. */
function insteadOf(before: ProposedChange, change: ProposedChange): ProposedChange {
  if (before.number !== undefined && change.number !== undefined) return before.number.at(change.number.to)
  return { ...change, from: before.from, effort: Math.max(before.effort, change.effort) }
}

/** Candidates, least effort first, and all last resorts behind all others; each once for each host, and those that wait once for all of them. */
function createQueue({ kinds }: WhatWouldFitOptions) {
  let waiting: (Candidate & { readonly key: string; readonly hosts: HostName[] })[] = []
  const seen = new Set<string>()
  return {
    add(proposed: readonly ProposedChange[], beside: readonly ProposedChange[], host: HostName | undefined, refined: number): void {
      if (host === undefined) return
      for (const change of proposed) {
        if (!kinds.includes(change.kind)) continue
        const changes = [...beside, change]
        const key = changes.map(keyOf).sort().join('\n')
        const ofHost = `${key}\n${hostKey(host)}`
        if (seen.has(ofHost)) continue
        seen.add(ofHost)
        const same = waiting.find((other) => other.key === key)
        const effort = effortOf(changes)
        if (same !== undefined && same.effort <= effort) {
          same.hosts.push(host)
          continue
        }
        const candidate = { key, changes, hosts: [...(same?.hosts ?? []), host], effort, refined }
        waiting = waiting.filter((other) => other !== same)
        const isLast = isLastResort(candidate)
        const at = waiting.findIndex((other) => (isLastResort(other) === isLast ? other.effort > candidate.effort : !isLast))
        waiting.splice(at < 0 ? waiting.length : at, 0, candidate)
      }
    },
    next: (): Candidate | undefined => waiting.shift(),
  }
}

const keyOf = ({ kind, subject, to, gives = [], parts }: ProposedChange): string =>
  [kind, subject, to, ...gives, ...(parts?.names ?? [])].join(' ')

/** Of several instances, those that found a host. A gang is placed whole or makes no sense. */
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
  const said = changes.map(({ kind: of, subject, from, to }) => {
    // a name that is misspelt is what the change is about already
    const before = from === null || subject.endsWith(` ${from}`) ? subject : `${subject} ${from}`
    return `${of.toLowerCase()}: ${before} -> ${to}`
  })
  const where = address === null ? '' : ` (${address}${unlocks > 1 ? ' and others' : ''})`
  const text = `${said.join('; ')}: unlocks ${unlocks} ${unlocks === 1 ? 'host' : 'hosts'}${where}`
  return { kind, changes, unlocks, exampleHosts: hosts, effort: Math.round(effort * 100) / 100, text, request, edits, filters }
}
