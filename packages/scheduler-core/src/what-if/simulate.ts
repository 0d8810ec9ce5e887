import { causeInSteps } from '../cause/cause.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import type { ClaimsProposed } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import type { Solution } from '../records/solution.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { type Decided, type DecideInput, decideInSteps } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { asksSolver } from '../schedulers/solver-scheduler.ts'
import type { ReasonCount } from '../text/reason.ts'
import type { Steps } from '../values/steps.ts'
import { utilisationOf, type ZoneUse } from './utilisation.ts'

/** One simulation places at most this many instances. */
export const MAX_SIMULATED_INSTANCES = 10_000

/** A request, and how many copies of it are decided. */
export interface SimulatedRequest {
  readonly request: RequestSpec
  readonly count: number
}

export interface SimulateOptions {
  readonly requests: readonly SimulatedRequest[]
  readonly profile: Profile
  readonly seed: string
  /** True if the time limit has passed. The remaining requests are then not decided. */
  isOver(): boolean
  /**
   * Called before each decision, with the index of the request. Throws if the service would reject a call with this request before it
   * evaluates hosts.
   */
  checkNext?(request: number): void
}

/** One decision of a simulation. */
export interface SimulatedDecision {
  /** The index of the request in `requests`. */
  readonly request: number
  /** The index of the copy of the request, from 0. */
  readonly copy: number
  /** The count of requested instances. */
  readonly asked: number
  readonly outcome: 'PLACED' | 'NO_VALID_HOST'
  readonly decided: Decided
  /** Why hosts refused the first instance that could not be placed. Empty if all instances are placed. */
  readonly reasons: readonly ReasonCount[]
  /** How many proposals the simulation had made before this decision. */
  readonly before: number
}

export interface Simulated {
  /** All decisions, in order. */
  readonly decisions: readonly SimulatedDecision[]
  /**
   * All placements as proposals, in order. A decision with `before: n` was made on the fleet with the first n of these proposals applied.
   */
  readonly proposals: readonly ClaimsProposed[]
  /** The count of instances that were placed. */
  readonly placed: number
  readonly failed: number
  /** The count of instances that were not decided before the deadline. */
  readonly notDecided: number
  readonly before: readonly ZoneUse[]
  readonly after: readonly ZoneUse[]
}

/** Yielded before a request is decided, so that the caller can ask a solver for a solution. */
export interface SimulatedQuestion {
  readonly request: RequestSpec
  readonly seed: string
  /** The placements that the simulation has already made, in addition to the claims of the fleet. */
  readonly before: readonly ClaimsProposed[]
}

/**
 * Decides requests one after another, as if each earlier placement had been claimed. The fleet must be a private copy, because it is locked
 * until the generator ends. The fleet is unchanged at the end. If the generator yields a `SimulatedQuestion`, the caller can pass a
 * solver's solution to the next step. Without a solution, the filter scheduler decides.
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
        // if the preceding copy of the request found no host, the state has not changed, so the solution for that copy is reused
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
  /** The decision for the preceding copy of the request. */
  readonly last: SimulatedDecision | undefined
  /** The solver's solution, if the caller passed one. */
  readonly solution: Solution | undefined
}

const idOf = ({ index, copy }: Pick<One, 'index' | 'copy'>): string => `${index}.${copy}`

const seedOf = (one: Pick<One, 'index' | 'copy' | 'seed'>): string => `${one.seed} ${idOf(one)}`

/**
 * Reuses the result of the preceding copy of a request. If the preceding copy requested one instance and found no host, the state has not
 * changed, so the next copy finds no host either. Returns undefined in all other cases.
 */
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
  const common = { request: index, copy, asked: request.numInstances, decided, before }
  if (decided.found === request.numInstances) return { ...common, outcome: 'PLACED', reasons: [] }
  // if the preceding copy found no host, the state has not changed, so the reasons are the same
  const reasons = last?.outcome === 'NO_VALID_HOST' ? last.reasons : yield* reasonsAt(fleet, overlay, input)
  return { ...common, outcome: 'NO_VALID_HOST', reasons }
}

/** The reasons why hosts refuse the first instance that finds no host, while the request's earlier instances hold their resources. */
function* reasonsAt(fleet: Fleet, overlay: Overlay, input: Omit<DecideInput, 'allOrNothing'>): Steps<readonly ReasonCount[]> {
  const held = overlay.size
  const { found, judged } = yield* decideInSteps(fleet, overlay, { ...input, allOrNothing: false, isExplained: true })
  try {
    return (yield* causeInSteps(fleet, input.request, judged, found)).reasons
  } finally {
    overlay.rollback(held)
  }
}

/** Fields of a proposal that a simulation does not use, such as the calling account. */
const UNPROPOSED = { type: 'claims', intent: 'CREATE', account: '', digest: '', mode: 'CONFIRM', ttlMs: 0, notAfter: null } as const
