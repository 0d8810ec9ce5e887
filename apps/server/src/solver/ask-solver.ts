import {
  copyFleet,
  DEFAULT_SOLVER_OPTIONS,
  type Fleet,
  type FormulateOptions,
  formulate,
  holdsArrangement,
  noSolution,
  type Overlay,
  openOverlay,
  type Profile,
  type RequestSpec,
  type Solution,
  type SolverOptions,
} from '@gantt/scheduler-core'
import { answerFromKey } from '../replica/batch.ts'
import type { Gather } from '../replica/gather.ts'
import { inPieces } from '../replica/pieces.ts'
import type { Timers } from '../timers.ts'
import type { Solver } from './solver.ts'

/** Of a call's time, milliseconds that stay for deciding and for the log. */
const KEPT_MS = 250
/** HiGHS looks at its clock now and then: a thread that still works so long after its time is ended. */
const MOST_GRACE_MS = 1_000
/** Calls about which the solver is being asked; beyond, the next are told that it is busy before anything is done for them. */
const MOST_OPEN = 16

/** What is to be solved. */
export interface Question {
  readonly profile: Profile
  readonly request: RequestSpec
  /** Orders hosts of equal worth. */
  readonly seed: string
  /** How long the caller waits, milliseconds. */
  readonly deadlineMs: number
}

/** Asks a solver for the best arrangement of a request on a fleet. Never rejects. */
export type AskSolver = (fleet: () => Fleet, question: Question) => Promise<Solution>

/**
 * Programs are formulated one at a time, each on a copy of the fleet and with pauses, so that others are answered meanwhile: the fleet moves
 * on, and the decision checks what comes of it.
 */
export function createAskSolver(solver: Solver, timers: Timers, mostOpen = MOST_OPEN): AskSolver {
  let open = 0
  let turn: Promise<unknown> = Promise.resolve()
  /** One after the other, in the order of asking. */
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }
  return (fleet, { profile, request, seed, deadlineMs }) => {
    const limits = profile.solver ?? DEFAULT_SOLVER_OPTIONS
    if (open >= mostOpen) return Promise.resolve(noSolution('BUSY', limits))
    open++
    const most = Math.max(1, deadlineMs - KEPT_MS)
    const timeMs = Math.min(limits.timeLimitMs, most)
    const endsAt = timers.now() + timeMs
    const left = (): number => Math.max(1, Math.ceil(endsAt - timers.now()))
    // a thread that does not end in time is waited for only while the caller waits
    const graceMs = Math.min(MOST_GRACE_MS, Math.max(KEPT_MS / 2, most - timeMs))
    return new Promise<Solution>((settle) => {
      let isLate = false
      const stopWaiting = timers.after(timeMs, () => {
        isLate = true
        settle(noSolution('NOT_FOUND', limits, 'its time was over before its turn came'))
      })
      inTurn(async () => {
        if (isLate) return
        stopWaiting()
        const own = copyFleet(fleet())
        settle(await solve(solver, timers, own, { profile, request, limits, seed, left, graceMs }))
      }).catch((error: unknown) => settle(noSolution('FAILED', limits, error instanceof Error ? error.message : String(error))))
    }).finally(() => {
      open--
    })
  }
}

/** What is asked of a solver before a call is decided: nothing for other schedulers, for one instance, and for a key that is used. */
export const gatherSolution =
  (ask: AskSolver): Gather =>
  (fleet, call, answered) => {
    const { request, deadlineMs } = call
    if (request.numInstances === 1) return undefined
    const profile = answered ?? fleet().profiles.pick(call.profile, call.account, call.key)
    if (profile?.scheduler !== 'solver' || answerFromKey(fleet(), call) !== undefined) return undefined
    return ask(fleet, { profile, request, seed: call.key, deadlineMs }).then((solution) => ({ solution }))
  }

interface Solving extends Omit<Question, 'deadlineMs'> {
  readonly limits: SolverOptions
  /** Milliseconds that the search may take from now on. */
  left(): number
  readonly graceMs: number
}

async function solve(solver: Solver, timers: Timers, own: Fleet, question: Solving): Promise<Solution> {
  const once = (options: Omit<FormulateOptions, 'seed'>) => solveOnce(solver, timers, own, question, options)
  const first = await once({})
  const { size } = first
  // hosts that were left out may be what it takes
  const isPartly = first.status === 'INFEASIBLE' && size !== null && size.candidates < size.passing
  const found = isPartly ? await once({ isWide: true }) : first
  // what is only checked afterwards may not hold: once more, with kinds that could meet kept apart
  if (found.hosts.length === 0 || (await holds(own, question, found))) return found
  const careful = await once({ isCareful: true, isWide: isPartly })
  return careful.hosts.length > 0 ? careful : found
}

async function solveOnce(
  solver: Solver,
  timers: Timers,
  own: Fleet,
  { profile, request, limits, seed, left, graceMs }: Solving,
  options: Omit<FormulateOptions, 'seed'>,
): Promise<Solution> {
  const { program, read, size } = await within(own, (overlay) =>
    inPieces(formulate(profile, request, own, overlay, { seed, ...options }), timers),
  )
  // no host passes for any instance: there is nothing to be solved
  if (size.columns === 0) return noSolution('INFEASIBLE', limits, null, size)
  const found = await solver.solve({ program, timeLimitMs: left(), nodeLimit: limits.nodeLimit, gap: limits.gap }, graceMs)
  if (found.status === 'BUSY') return noSolution('BUSY', limits, null, size)
  const { status, values, objective, bound, gap, nodes, detail } = found
  return { status, hosts: values.length > 0 ? read(values) : [], objective, bound, gap, nodes, limits, size, detail }
}

const holds = (own: Fleet, { profile, request }: Solving, { hosts }: Solution): Promise<boolean> =>
  within(own, async (overlay) => holdsArrangement(profile, request, own, overlay, hosts))

async function within<T>(fleet: Fleet, use: (overlay: Overlay) => Promise<T>): Promise<T> {
  const overlay = openOverlay(fleet)
  try {
    return await use(overlay)
  } finally {
    overlay.discard()
  }
}
