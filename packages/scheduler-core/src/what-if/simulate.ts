import { causeInSteps } from '../cause/cause.ts'
import type { ClaimsProposed } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Profile } from '../profiles/profile.ts'
import type { ReasonCount } from '../reason.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type Decided, type DecideInput, decideInSteps } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import type { Solution } from '../schedulers/solver/solution.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import { utilisationOf, type ZoneUse } from './utilisation.ts'

/** Instances that one simulation may place. */
export const MOST_SIMULATED = 10_000

/** A request, and how often it is asked, one after another. */
export interface SimulatedRequest {
  readonly request: RequestSpec
  readonly count: number
}

export interface SimulateOptions {
  readonly requests: readonly SimulatedRequest[]
  readonly profile: Profile
  readonly seed: string
  /** Whether time is over: what is left is not decided then. */
  isOver(): boolean
  /** Called before a request is decided, on what those before it left; throws where a call would be refused before any host is looked at. */
  checkNext?(request: number): void
}

/** One decision of a simulation. */
export interface SimulatedDecision {
  /** Position of its request. */
  readonly request: number
  /** Which of the copies of the request, from 0. */
  readonly copy: number
  /** Instances that it asked for. */
  readonly asked: number
  readonly outcome: 'PLACED' | 'NO_VALID_HOST'
  readonly decided: Decided
  /** Why hosts were refused, for the instance that found none; empty where all are placed. */
  readonly reasons: readonly ReasonCount[]
  /** How many placements of this simulation came before it. */
  readonly before: number
}

export interface Simulated {
  /** In the order in which they were made. */
  readonly decisions: readonly SimulatedDecision[]
  /** What was placed, as proposals in their order: the first `before` of them are the state that a decision met. */
  readonly proposals: readonly ClaimsProposed[]
  /** Instances. */
  readonly placed: number
  readonly failed: number
  /** Instances that there was no time for. */
  readonly notDecided: number
  readonly before: readonly ZoneUse[]
  readonly after: readonly ZoneUse[]
}

/** What a simulation asks a solver before it decides a request. */
export interface SimulatedQuestion {
  readonly request: RequestSpec
  readonly seed: string
  /** What is placed already, beside what the fleet holds. */
  readonly before: readonly ClaimsProposed[]
}

/**
 * Decides requests one behind the other, each on what those before it left, as if all of them were claimed. The fleet must
 * be the caller's own, for it is locked at the pauses, and it is as it was at the end. A pause may be a question to a solver: the next step
 * takes the answer, and without one the filter scheduler decides.
 */
export function* simulate(
  fleet: Fleet,
  { requests, profile, seed, isOver, checkNext }: SimulateOptions,
): Generator<SimulatedQuestion | undefined, Simulated, Solution | undefined> {
  const before = yield* utilisationOf(fleet)
  const decisions: SimulatedDecision[] = []
  const proposals: ClaimsProposed[] = []
  let placed = 0
  let failed = 0
  const overlay = openOverlay(fleet)
  try {
    for (const [index, { request, count }] of requests.entries()) {
      let last: SimulatedDecision | undefined
      for (let copy = 0; copy < count && !isOver(); copy++) {
        checkNext?.(index)
        const kept = again(last, request, copy)
        const one = { request, profile, seed, index, copy, before: proposals.length, last }
        const isAsked = kept === undefined && asksSolver(profile, request)
        // nothing was taken since the copy before found no place: its answer still holds
        const known = last?.outcome === 'NO_VALID_HOST' ? last.decided.record.solver?.solution : undefined
        const solution: Solution | undefined = isAsked
          ? (known ?? (yield { request, seed: seedOf(one), before: [...proposals] }))
          : undefined
        last = kept ?? (yield* decideOne(fleet, overlay, { ...one, solution }))
        decisions.push(last)
        const { parts, answer, record } = last.decided
        placed += parts.length
        failed += request.numInstances - parts.length
        if (parts.length > 0) proposals.push({ ...UNPROPOSED, key: record.id, group: groupOf(request), parts, answer, decision: record })
        yield undefined
      }
    }
    const asked = requests.reduce((sum, { request, count }) => sum + count * request.numInstances, 0)
    const after = yield* utilisationOf(fleet)
    return { decisions, proposals, placed, failed, notDecided: asked - placed - failed, before, after }
  } finally {
    overlay.discard()
  }
}

interface One {
  readonly request: RequestSpec
  readonly profile: Profile
  readonly seed: string
  readonly index: number
  readonly copy: number
  readonly before: number
  /** The copy before this one. */
  readonly last: SimulatedDecision | undefined
  /** What a solver answered. */
  readonly solution: Solution | undefined
}

const idOf = ({ index, copy }: Pick<One, 'index' | 'copy'>): string => `${index}.${copy}`

const seedOf = (one: Pick<One, 'index' | 'copy' | 'seed'>): string => `${one.seed} ${idOf(one)}`

/** A single instance that found no host finds none at the next try either: nothing was taken, and nothing was given back. */
function again(last: SimulatedDecision | undefined, { numInstances }: RequestSpec, copy: number): SimulatedDecision | undefined {
  return last?.outcome === 'NO_VALID_HOST' && numInstances === 1 ? { ...last, copy } : undefined
}

function* decideOne(fleet: Fleet, overlay: Overlay, one: One): Steps<SimulatedDecision> {
  const { request, profile, index, copy, before, last, solution } = one
  const id = idOf(one)
  const input = {
    id,
    request,
    profile,
    seed: seedOf(one),
    attempt: 1,
    alternatesPerInstance: 0,
    claimIds: Array.from({ length: request.numInstances }, (_, i) => `${id}.${i}`),
    solution,
  }
  const decided = yield* decideInSteps(fleet, overlay, { ...input, allOrNothing: true })
  const told = { request: index, copy, asked: request.numInstances, decided, before }
  if (decided.found === request.numInstances) return { ...told, outcome: 'PLACED', reasons: [] }
  // the same state refuses the copies of a request for the same reasons
  const reasons = last?.outcome === 'NO_VALID_HOST' ? last.reasons : yield* reasonsAt(fleet, overlay, input)
  return { ...told, outcome: 'NO_VALID_HOST', reasons }
}

/** Why the instance that found no host found none: those before it hold their share. */
function* reasonsAt(fleet: Fleet, overlay: Overlay, input: Omit<DecideInput, 'allOrNothing'>): Steps<readonly ReasonCount[]> {
  const held = overlay.size
  const { found, judged } = yield* decideInSteps(fleet, overlay, { ...input, allOrNothing: false })
  try {
    return (yield* causeInSteps(fleet, input.request, judged, found)).reasons
  } finally {
    overlay.rollback(held)
  }
}

/** What a proposal says beside what is held by it: nobody proposes these. */
const UNPROPOSED = { type: 'claims', intent: 'CREATE', account: '', digest: '', mode: 'CONFIRM', ttlMs: 0, notAfter: null } as const
