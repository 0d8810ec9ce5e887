import {
  DEFAULT_SOLVER_OPTIONS,
  decide,
  type Fleet,
  type Formulated,
  formulate,
  noSolution,
  type Overlay,
  openOverlay,
  type Profile,
  type RequestSpec,
  type Solution,
  type SolverOptions,
} from '@gantt/scheduler-core'
import { answerFromKey } from '../replica/batch.ts'
import type { PlacementCall } from '../replica/placement.ts'
import type { Timers } from '../timers.ts'
import type { Solver } from './solver.ts'

/** Of a call's time, milliseconds that stay for deciding and for the log. */
const KEPT_MS = 250

/**
 * What a solver answers to a call; undefined where none is to be asked: the profile has another scheduler, the call is of one instance, or
 * its key is used. `fleet` is asked anew each time: it may be replaced meanwhile. Never rejects.
 */
export function createSolveCall(
  solver: Solver,
  timers: Timers,
): (fleet: () => Fleet, call: PlacementCall) => Promise<Solution> | undefined {
  return (fleet, call) => {
    const { request } = call
    if (request.numInstances === 1) return undefined
    const profile = fleet().profiles.pick(call.profile, call.account, call.key)
    if (profile?.scheduler !== 'solver' || answerFromKey(fleet(), call) !== undefined) return undefined
    const limits = profile.solver ?? DEFAULT_SOLVER_OPTIONS
    const endsAt = timers.now() + Math.min(limits.timeLimitMs, Math.max(1, call.deadlineMs - KEPT_MS))
    return solveFor(solver, fleet, { profile, request, limits, key: call.key, left: () => Math.max(1, endsAt - timers.now()) }).catch(
      (error: unknown) => noSolution('FAILED', limits, error instanceof Error ? error.message : String(error)),
    )
  }
}

interface Question {
  readonly profile: Profile
  readonly request: RequestSpec
  readonly limits: SolverOptions
  /** Orders hosts of equal worth. */
  readonly key: string
  left(): number
}

async function solveFor(solver: Solver, fleet: () => Fleet, question: Question): Promise<Solution> {
  const first = await solveOnce(solver, fleet, question, false)
  // what is only checked afterwards may not hold: once more, with kinds that could meet kept apart
  if (first.hosts.length === 0 || holds(fleet(), question, first)) return first
  const careful = await solveOnce(solver, fleet, question, true)
  return careful.hosts.length > 0 ? careful : first
}

async function solveOnce(
  solver: Solver,
  fleet: () => Fleet,
  { profile, request, limits, key, left }: Question,
  isCareful: boolean,
): Promise<Solution> {
  const formulated: Formulated = within(fleet(), (overlay) => formulate(profile, request, fleet(), overlay, key, isCareful))
  const { program, read, size } = formulated
  // no host passes for any instance: there is nothing to be solved
  if (size.columns === 0) return noSolution('INFEASIBLE', limits, null, size)
  const found = await solver.solve({ program, timeLimitMs: left(), nodeLimit: limits.nodeLimit, gap: limits.gap })
  if (found.status === 'BUSY') return noSolution('BUSY', limits, null, size)
  const { status, values, objective, bound, gap, nodes, detail } = found
  return { status, hosts: values.length > 0 ? read(values) : [], objective, bound, gap, nodes, limits, size, detail }
}

function holds(fleet: Fleet, { profile, request, key }: Question, solution: Solution): boolean {
  return within(fleet, (overlay) => {
    const claimIds = new Array<string>(request.numInstances).fill('')
    const { record } = decide(fleet, overlay, {
      id: '',
      request,
      profile,
      seed: key,
      attempt: 1,
      alternatesPerInstance: 0,
      allOrNothing: true,
      claimIds,
      solution,
    })
    return record.solver?.objective !== null
  })
}

function within<T>(fleet: Fleet, use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    return use(overlay)
  } finally {
    overlay.discard()
  }
}
