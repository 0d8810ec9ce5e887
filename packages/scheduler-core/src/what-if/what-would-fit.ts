import type { HostName } from '../fleet/change.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { copySteps } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { compileProfile } from '../pipeline/compile.ts'
import { prepareChecks } from '../pipeline/examine.ts'
import { prepareFilters, runFilters } from '../pipeline/run-filters.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { applyEdits } from './apply-edits.ts'
import { type BindingConstraint, surveyRefusals } from './binding.ts'
import { restated } from './change-request.ts'
import { type FleetEdits, isNoEdit, joinEdits, NO_EDITS } from './edits.ts'
import { remedyFor } from './remedies/index.ts'
import type { ChangeKind, ProposedChange } from './remedies/remedy.ts'

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
  /** What is most in the way; null where it fits. */
  readonly binding: BindingConstraint | null
  /** Decisions tried. */
  readonly runs: number
  /** Why there may be more: null when everything within the limits was tried. */
  readonly cut: 'deadline' | 'limit' | null
}

/** A set of changes to try, and the host for whose sake. */
interface Candidate {
  readonly changes: readonly ProposedChange[]
  readonly host: HostName
  readonly effort: number
  /** How often a change took the place of another one of the same subject. */
  readonly refined: number
}

/** How a candidate went. */
interface Trial {
  readonly placed: boolean
  readonly unlocks: number
  readonly hosts: readonly HostName[]
  /** Where it is not placed: what to change beside, for the sake of the candidate's host. */
  readonly next: readonly ProposedChange[]
}

const EXAMPLES = 5
/** Fleets with edits that are kept for the next candidate with the same ones. */
const KEPT_FLEETS = 6
const MOST_REFINED = 6
const BESIDE = 1

/**
 * The smallest changes that make a request fit. Hosts near to passing say what refuses them; remedies say what would answer
 * that; each set of changes, least effort first, is made on a copy of the fleet and decided. What is placed then is an
 * answer; where it is not, the host says what is still in the way. The fleet must be the caller's own.
 */
export function* whatWouldFit(fleet: Fleet, options: WhatWouldFitOptions): Generator<void, WhatWouldFit> {
  const { request, maxChanges, first, minHosts, mostRuns, isOver } = options
  const start = decideOn(fleet, options, request, options.profile, () => undefined)
  if (start.found === request.numInstances) return { fits: true, counterfactuals: [], binding: null, runs: 1, cut: null }
  yield
  const survey = decideOn(fleet, options, request, options.profile, (instance) =>
    surveyRefusals(fleet, request, options.profile, { seed: options.seed, instance, minHosts }),
  ).read
  const queue = createQueue(options)
  queue.add(fewerInstances(request, start.found), [], survey.nearest[0]?.name, 0)
  for (const { name, refusals } of survey.nearest)
    queue.add(
      refusals.slice(0, 1).flatMap((refusal) => remedyFor(refusal.reason.code)?.propose(refusal) ?? []),
      [],
      name,
      0,
    )
  const fleets = createFleets(fleet)
  const counterfactuals: Counterfactual[] = []
  let runs = 1
  let cut: WhatWouldFit['cut'] = null
  for (let candidate = queue.next(); candidate !== undefined && counterfactuals.length < first; candidate = queue.next()) {
    if (isOver()) cut = 'deadline'
    else if (runs >= mostRuns) cut = 'limit'
    if (cut !== null) break
    yield
    // one of its changes alone is an answer already: the other is not needed
    if (counterfactuals.some((known) => holds(candidate as Candidate, known.changes))) continue
    const applied = applyTo(request, options.profile, candidate.changes)
    const own = yield* fleets.with(applied.edits)
    if (own === undefined) continue
    runs++
    const trial = tryOn(own, options, applied, candidate.host, start.found)
    if (trial.placed) {
      if (trial.unlocks >= minHosts) counterfactuals.push(toCounterfactual(candidate, trial, applied))
      continue
    }
    const { changes, host, refined } = candidate
    const replaced = trial.next.filter(({ subject }) => changes.some((change) => change.subject === subject))
    if (refined < MOST_REFINED)
      for (const change of replaced)
        queue.add(
          [change],
          changes.filter(({ subject }) => subject !== change.subject),
          host,
          refined + 1,
        )
    if (changes.length < maxChanges)
      queue.add(
        trial.next.filter((change) => !replaced.includes(change)),
        changes,
        host,
        refined,
      )
  }
  counterfactuals.sort((a, b) => a.effort - b.effort || b.unlocks - a.unlocks)
  return { fits: false, counterfactuals, binding: survey.binding, runs, cut }
}

/** Candidates, least effort first; each once. */
function createQueue({ kinds }: WhatWouldFitOptions) {
  const waiting: Candidate[] = []
  const seen = new Set<string>()
  return {
    add(proposed: readonly ProposedChange[], beside: readonly ProposedChange[], host: HostName | undefined, refined: number): void {
      if (host === undefined) return
      for (const change of proposed) {
        if (!kinds.includes(change.kind)) continue
        const changes = [...beside, change]
        const key = changes.map(keyOf).sort().join('\n')
        if (seen.has(key)) continue
        seen.add(key)
        const effort = changes.reduce((sum, one) => sum + one.effort, 0) + BESIDE * (changes.length - 1)
        const at = waiting.findIndex((other) => other.effort > effort)
        waiting.splice(at < 0 ? waiting.length : at, 0, { changes, host, effort, refined })
      }
    },
    next: (): Candidate | undefined => waiting.shift(),
  }
}

const keyOf = ({ kind, subject, to }: ProposedChange): string => `${kind} ${subject} ${to}`

const holds = ({ changes }: Candidate, known: readonly ProposedChange[]): boolean => {
  const own = new Set(changes.map(keyOf))
  return known.every((change) => own.has(keyOf(change)))
}

/** Copies of the fleet with edits; undefined for edits that cannot be made. */
function createFleets(fleet: Fleet) {
  const made = new Map<string, Fleet | undefined>()
  return {
    *with(edits: FleetEdits): Generator<void, Fleet | undefined> {
      if (isNoEdit(edits)) return fleet
      const key = JSON.stringify(edits)
      if (made.has(key)) return made.get(key)
      const copy = yield* copySteps(fleet)
      const problems = yield* applyEdits(copy, edits)
      for (const oldest of made.keys()) if (made.size >= KEPT_FLEETS) made.delete(oldest)
      made.set(key, problems.length === 0 ? copy : undefined)
      return made.get(key)
    },
  }
}

interface Applied {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly edits: FleetEdits
  readonly filters: Profile['filters'] | undefined
}

function applyTo(request: RequestSpec, profile: Profile, changes: readonly ProposedChange[]): Applied {
  const filters = changes.reduce((all, change) => change.filters?.(all) ?? all, profile.filters)
  return {
    request: changes.reduce((one, change) => change.request?.(one) ?? one, request),
    edits: changes.reduce((all, { edits }) => (edits === undefined ? all : joinEdits(all, { ...NO_EDITS, ...edits })), NO_EDITS),
    profile: filters === profile.filters ? profile : { ...profile, filters },
    filters: filters === profile.filters ? undefined : filters,
  }
}

/** Decides without all-or-nothing, and reads the state as the first instance that found no host met it. */
function decideOn<Read>(
  fleet: Fleet,
  { seed }: Pick<WhatWouldFitOptions, 'seed'>,
  request: RequestSpec,
  profile: Profile,
  read: (instance: number) => Read,
) {
  const overlay = openOverlay(fleet)
  try {
    const { found, parts } = decide(fleet, overlay, {
      id: '',
      request,
      profile,
      // the one that a simulation with the same seed gives the only copy of its only request
      seed: `${seed} 0.0`,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: false,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `${i}`),
    })
    return { found, parts, overlay, read: read(found) }
  } finally {
    overlay.discard()
  }
}

function tryOn(fleet: Fleet, options: WhatWouldFitOptions, { request, profile }: Applied, host: HostName, failed: number): Trial {
  const nextFor = (): readonly ProposedChange[] => {
    const index = fleet.hosts.find(host)?.index
    return index === undefined ? [] : proposeFor(fleet, request, profile, index)
  }
  const { found, parts, read } = decideOn(fleet, options, request, profile, (instance) =>
    instance < request.numInstances ? nextFor() : [],
  )
  if (found < request.numInstances) return { placed: false, unlocks: 0, hosts: [], next: read }
  const overlay = openOverlay(fleet)
  try {
    // as the instance that had found no host meets it now
    const at = Math.min(failed, found - 1)
    for (const part of parts.slice(0, at)) overlay.hold(part, groupOf(request))
    const { hosts } = runFilters(prepareFilters(compileProfile(profile), request, fleet), fleet)
    const passing = [...hosts].map((index) => fleet.hosts.get(index as HostIndex)).map(({ host: name, node }) => ({ host: name, node }))
    const goesTo = parts.slice(at, at + 1).map(({ host: name, node }) => ({ host: name, node }))
    const others = passing.filter((one) => !goesTo.some((chosen) => chosen.host === one.host && chosen.node === one.node))
    return { placed: true, unlocks: hosts.length, hosts: [...goesTo, ...others].slice(0, EXAMPLES), next: [] }
  } finally {
    overlay.discard()
  }
}

/** What would answer the first reason that a host is refused for. */
function proposeFor(fleet: Fleet, request: RequestSpec, profile: Profile, host: HostIndex): readonly ProposedChange[] {
  const refusing = prepareChecks(fleet, request, profile)
    .checksOf(host, true)
    .find(({ reason }) => reason !== undefined)
  if (refusing?.reason === undefined) return []
  const { filter, reason } = refusing
  return remedyFor(reason.code)?.propose({ fleet, request, profile, host, filter, reason }) ?? []
}

/** Of several instances, those that found a host. */
function fewerInstances({ numInstances }: RequestSpec, found: number): ProposedChange[] {
  if (found === 0 || numInstances === 1) return []
  return [
    {
      kind: 'REQUEST',
      subject: 'instances',
      from: String(numInstances),
      to: String(found),
      effort: 2 + (4 * (numInstances - found)) / numInstances,
      request: (request) => restated(request, { numInstances: found, instanceUuids: request.instanceUuids.slice(0, found) }),
    },
  ]
}

function toCounterfactual({ changes, effort }: Candidate, { unlocks, hosts }: Trial, { request, edits, filters }: Applied): Counterfactual {
  const kinds = changes.map(({ kind }) => kind)
  const kind = (['POLICY', 'FLEET'] as const).find((one) => kinds.includes(one)) ?? 'REQUEST'
  const said = changes.map(
    ({ kind: of, subject, from, to }) => `${of.toLowerCase()}: ${subject} ${from === null ? '' : `${from} `}-> ${to}`,
  )
  const [host] = hosts
  const where = host === undefined ? '' : ` (${host.host}${unlocks > 1 ? ' and others' : ''})`
  const text = `${said.join('; ')}: unlocks ${unlocks} ${unlocks === 1 ? 'host' : 'hosts'}${where}`
  return { kind, changes, unlocks, exampleHosts: hosts, effort: Math.round(effort * 100) / 100, text, request, edits, filters }
}
