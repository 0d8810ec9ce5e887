import {
  type BatchOfMoves,
  type Fleet,
  type FormulatedMoves,
  formulateMoves,
  type HostName,
  holdsMoves,
  isFilterBetter,
  type Move,
  type Profile,
  type Solution,
} from '@gantt/scheduler-core'
import type { Outside } from '../../plugin/outside/outside.ts'
import { answerFromKey } from '../../replica/propose/answer-from-key.ts'
import { findSource, requestNow } from '../../replica/propose/moves.ts'
import type { Gather, Gathered } from '../../replica/propose/placement.ts'
import type { Solve, Solved } from '../../solver/ask-solver.ts'
import { type AskedMove, answeredFor } from './foreseen-moves.ts'

/**
 * The result of solving moves together: the profile that decides all moves and, by claim id, the destination of each claim in the
 * arrangement.
 */
export interface SolvedMoves {
  readonly profile: Profile
  readonly shares: ReadonlyMap<string, Solution>
}

/** Moves whose destinations are solved together. */
export interface MoveBatch {
  /**
   * Computes the first arrangement. If the profile does not use the solver, or if fewer than two claims can move, the solver is not called
   * and the result is undefined.
   */
  solve(deadlineMs: number): Promise<SolvedMoves | undefined>
  /**
   * Called when a move is decided. Returns the destination of this move in the arrangement. If the move is decided again, a new arrangement
   * of the remaining moves is computed.
   */
  readonly gather: Gather
}

export interface MoveBatchOptions {
  readonly asked: readonly AskedMove[]
  /** The profile version of `fleet` that decides the moves. Undefined if the profile does not exist. */
  profileOf(fleet: Fleet): Profile | undefined
  /** The seed that orders hosts with equal scores. */
  readonly seed: string
}

interface Round {
  /** The claims for which `gather` has returned the destination in this arrangement. */
  readonly fetched: Set<string>
  readonly solved: Promise<SolvedMoves | undefined>
}

export function createMoveBatch(
  { fleet, outside, solve }: { fleet(): Fleet; readonly outside: Outside; readonly solve: Solve },
  { asked, profileOf, seed }: MoveBatchOptions,
): MoveBatch {
  let round: Round | undefined
  const begin = (deadlineMs: number, least: number): Round => {
    const now = fleet()
    const profile = profileOf(now)
    const isAsked = profile?.scheduler === 'solver' && movesOn(now, asked).length >= least
    const solved = isAsked
      ? answeredFor(outside, now, profile, 'EVACUATE', asked).then(async (answered) => ({
          profile: answered,
          shares: await solveMoves(solve, fleet, { profile: answered, asked, seed, deadlineMs }),
        }))
      : Promise.resolve(undefined)
    round = { fetched: new Set(), solved }
    return round
  }
  return {
    solve: (deadlineMs) => begin(deadlineMs, 2).solved,
    gather(now, call) {
      const { source, deadlineMs } = call
      if (source === null || answerFromKey(now(), call) !== undefined) return undefined
      const current = round === undefined || round.fetched.has(source.claim) ? begin(deadlineMs, 1) : round
      current.fetched.add(source.claim)
      return current.solved.then((solved): Gathered => (solved === undefined ? {} : gatheredFrom(solved, source.claim)))
    },
  }
}

/**
 * Sorts moves in the order in which they are decided. Moves with a host in the arrangement come first. Otherwise moves without a host could
 * claim resources that the arrangement assigns to other moves.
 */
export const inOrder = <Asked extends AskedMove>(asked: readonly Asked[], solved: SolvedMoves | undefined): readonly Asked[] =>
  split(asked, solved).flat()

/**
 * Makes the moves in the order of `inOrder`. Moves without a host in the arrangement wait until all other moves are done, because the
 * solver might have to compute a new arrangement if a move fails.
 */
export async function moveInOrder<Asked extends AskedMove, Outcome>(
  asked: readonly Asked[],
  solved: SolvedMoves | undefined,
  move: (each: Asked) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const [going, leftOut] = split(asked, solved)
  // the calls start together, so that they are queued in this order and decided one after another
  const outcomes = await Promise.all(going.map(move))
  return [...outcomes, ...(await Promise.all(leftOut.map(move)))]
}

function split<Asked extends AskedMove>(asked: readonly Asked[], solved: SolvedMoves | undefined) {
  const isLeftOut = ({ claim }: AskedMove): boolean => {
    const share = solved?.shares.get(claim.id)
    return share?.hosts.length === 0 && !isFilterBetter(share)
  }
  return [asked.filter((each) => !isLeftOut(each)), asked.filter(isLeftOut)] as const
}

function gatheredFrom({ profile, shares }: SolvedMoves, claim: string): Gathered {
  const solution = shares.get(claim)
  return solution === undefined ? { profile } : { profile, solution }
}

/** The claims that can move now, each with its request completed from the claim. */
const movesOn = (fleet: Fleet, asked: readonly AskedMove[]): readonly Move[] =>
  asked.flatMap(({ claim: { id, fence }, request }) => {
    const source = findSource(fleet, { claim: id, fence })
    if (request === undefined || typeof source === 'string') return []
    return { source, request: requestNow(fleet, { request, intent: 'EVACUATE' }, source) }
  })

interface Question {
  readonly profile: Profile
  readonly asked: readonly AskedMove[]
  readonly seed: string
  readonly deadlineMs: number
}

async function solveMoves(solve: Solve, fleet: () => Fleet, { profile, asked, seed, deadlineMs }: Question) {
  let moves: readonly Move[] = movesOn(fleet(), asked)
  const solved = await solve<HostName | null, FormulatedMoves>(fleet, {
    profile,
    deadlineMs,
    mayStay: true,
    formulate(own, overlay, options) {
      // the fleet can have changed since `moves` was computed
      moves = movesOn(own, asked)
      return formulateMoves(profile, moves, own, overlay, { seed, ...options })
    },
    holds: (own, overlay, hosts) => holdsMoves(profile, moves, own, overlay, hosts),
  })
  return sharesOf(moves, solved)
}

/** Returns, by claim id, the destination of each move in the arrangement. */
function sharesOf(
  moves: readonly Move[],
  { solution: whole, hosts, made }: Solved<HostName | null, FormulatedMoves>,
): ReadonlyMap<string, Solution> {
  const placed = hosts.filter((host) => host !== null).length
  const worthOf = (value: number | null): number | null => (value === null || made === null ? value : value - made.bonus * placed)
  const objective = worthOf(whole.objective)
  const bound = worthOf(whole.bound)
  const gap = !made?.bonus
    ? whole.gap
    : objective === null || bound === null || objective === 0
      ? null
      : (bound - objective) / Math.abs(objective)
  const byFilter = made?.byFilter
  const batch: BatchOfMoves = {
    moves: moves.length,
    placed,
    filterPlaced: byFilter?.placed ?? null,
    filterObjective: byFilter === undefined || byFilter.placed < placed ? null : byFilter.objective,
  }
  const solution = { ...whole, objective, bound, gap, batch }
  const isTaken = hosts.length > 0 && !isFilterBetter(solution)
  return new Map(
    moves.map(({ source }, i): [string, Solution] => {
      const host = hosts[i] ?? null
      if (host !== null) return [source.id, { ...solution, hosts: [host] }]
      // the solver found no host for this move
      return [source.id, { ...solution, status: isTaken ? 'INFEASIBLE' : solution.status, hosts: [] }]
    }),
  )
}
