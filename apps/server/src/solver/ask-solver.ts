import {
  asksSolver,
  type ClaimsProposed,
  copyFleet,
  DEFAULT_SOLVER_OPTIONS,
  type Fleet,
  type Formulated,
  type FormulateOptions,
  formulate,
  type HostName,
  holdsArrangement,
  noSolution,
  type Overlay,
  openOverlay,
  type Profile,
  type RequestSpec,
  type Solution,
  type SolverOptions,
  withPresentNames,
} from '@gantt/scheduler-core'
import { runYielding } from '../event-loop/pauses.ts'
import { answerFromKey } from '../replica/propose/answer-from-key.ts'
import type { Gather } from '../replica/propose/placement.ts'
import type { Timers } from '../timers.ts'
import type { Solver } from './solver.ts'

/** Milliseconds of a call's time that are reserved for deciding and for the log. */
const RESERVED_MS = 250
/**
 * A thread that still works this long after its timeout is ended. HiGHS checks its clock only from time to time, so it can exceed its time
 * limit.
 */
const MAX_GRACE_MS = 1_000
/** At most this many calls may use or wait for the solver. Further calls are answered with BUSY at once. */
const MAX_OPEN_CALLS = 16

/** A problem for the solver, and its limits. */
export interface Question {
  readonly profile: Profile
  readonly request: RequestSpec
  /** The seed for the order of hosts with equal scores. */
  readonly seed: string
  /** How long the caller waits, in milliseconds. */
  readonly deadlineMs: number
  /** Instances that are placed in addition to the fleet's claims; absent: none. */
  readonly before?: readonly ClaimsProposed[]
}

/** Searches for the best arrangement of a request's instances on a fleet with the solver. Never rejects. */
export type AskSolver = (fleet: () => Fleet, question: Question) => Promise<Solution>

/** An integer program that can be formulated in several ways, and the check of its result. */
export interface Problem<Place extends HostName | null, Made extends Formulated<Place>> {
  readonly profile: Profile
  readonly deadlineMs: number
  /** Formulates the program. `mayStay`: if not all instances fit, as many as possible are placed. */
  formulate(fleet: Fleet, overlay: Overlay, options: SolvingOptions): Generator<void, Made>
  holds(fleet: Fleet, overlay: Overlay, hosts: readonly Place[]): boolean
  /** True if as many instances as possible are placed when not all of them fit. */
  readonly mayStay: boolean
}

export interface SolvingOptions extends Omit<FormulateOptions, 'seed'> {
  readonly mayStay?: boolean
}

/** The result of a problem. `made` is the integer program, if one was formulated. */
export interface Solved<Place extends HostName | null, Made extends Formulated<Place>> {
  readonly solution: Omit<Solution, 'hosts'>
  readonly hosts: readonly Place[]
  readonly made: Made | null
}

/** Solves one problem after the other on a fleet. Never rejects. */
export type Solve = <Place extends HostName | null, Made extends Formulated<Place>>(
  fleet: () => Fleet,
  problem: Problem<Place, Made>,
) => Promise<Solved<Place, Made>>

export const createAskSolver = (solver: Solver, timers: Timers, maxOpen = MAX_OPEN_CALLS): AskSolver =>
  askRequest(createSolve(solver, timers, maxOpen))

/** Creates a function that searches for the placement of a request's instances with the solver. */
export const askRequest =
  (solve: Solve): AskSolver =>
  (fleet, { profile, request, seed, deadlineMs, before = [] }) => {
    const holdThoseBefore = (overlay: Overlay): void => {
      for (const { parts, group } of before) for (const part of parts) overlay.hold(part, group)
    }
    return solve<HostName, Formulated>(fleet, {
      profile,
      deadlineMs,
      mayStay: false,
      formulate(own, overlay, options) {
        holdThoseBefore(overlay)
        return formulate(profile, request, own, overlay, { seed, ...options })
      },
      holds(own, overlay, hosts) {
        holdThoseBefore(overlay)
        return holdsArrangement(profile, request, own, overlay, hosts)
      },
    }).then(({ solution, hosts }) => ({ ...solution, hosts }))
  }

/**
 * Creates a function that solves problems as integer programs. Programs are formulated one at a time, each on a copy of the fleet.
 * Formulating yields, so that other calls are answered meanwhile. The fleet may change before the solution arrives, so the decision checks
 * the result.
 */
export function createSolve(solver: Solver, timers: Timers, maxOpen = MAX_OPEN_CALLS): Solve {
  let open = 0
  let turn: Promise<unknown> = Promise.resolve()
  /** Solves problems one after the other, in the order of the calls. */
  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }
  return <Place extends HostName | null, Made extends Formulated<Place>>(fleet: () => Fleet, problem: Problem<Place, Made>) => {
    const { profile, deadlineMs } = problem
    const limits = profile.solver ?? DEFAULT_SOLVER_OPTIONS
    if (open >= maxOpen) return Promise.resolve(unsolved('BUSY', limits))
    open++
    const most = Math.max(1, deadlineMs - RESERVED_MS)
    const timeMs = Math.min(limits.timeLimitMs, most)
    const endsAt = timers.now() + timeMs
    const left = (): number => Math.max(1, Math.ceil(endsAt - timers.now()))
    // the caller's time also limits the wait for a thread that does not end in time
    const graceMs = Math.min(MAX_GRACE_MS, Math.max(RESERVED_MS / 2, most - timeMs))
    return new Promise<Solved<Place, Made>>((settle) => {
      let isLate = false
      const stopWaiting = timers.after(timeMs, () => {
        isLate = true
        settle(unsolved('NOT_FOUND', limits, 'its time limit ended before the solver was free'))
      })
      inTurn(async () => {
        if (isLate) return
        stopWaiting()
        const own = copyFleet(fleet())
        settle(await solveProblem(solver, timers, own, { problem, limits, left, graceMs }))
      }).catch((error: unknown) => settle(unsolved('FAILED', limits, error instanceof Error ? error.message : String(error))))
    }).finally(() => {
      open--
    })
  }
}

/**
 * Calls the solver before a request is decided. The solver is not called if the profile names another scheduler, if the request is for one
 * instance, or if its idempotency key already has an answer.
 */
export const gatherSolution =
  (ask: AskSolver): Gather =>
  (fleet, call, answered) => {
    const { deadlineMs } = call
    if (call.request.numInstances === 1) return undefined
    const request = withPresentNames(fleet(), call.request)
    const profile = answered ?? fleet().profiles.pick(call.profile, call.account, call.key)
    if (profile === undefined || !asksSolver(profile, request) || answerFromKey(fleet(), call) !== undefined) return undefined
    return ask(fleet, { profile, request, seed: call.key, deadlineMs }).then((solution) => ({ solution }))
  }

interface Solving<Place extends HostName | null, Made extends Formulated<Place>> {
  readonly problem: Problem<Place, Made>
  readonly limits: SolverOptions
  /** How many milliseconds remain for the search. */
  left(): number
  readonly graceMs: number
}

function unsolved(...[status, limits, detail, size]: Parameters<typeof noSolution>) {
  const { hosts: _, ...solution } = noSolution(status, limits, detail, size)
  return { solution, hosts: [], made: null }
}

async function solveProblem<Place extends HostName | null, Made extends Formulated<Place>>(
  solver: Solver,
  timers: Timers,
  own: Fleet,
  solving: Solving<Place, Made>,
): Promise<Solved<Place, Made>> {
  const { problem } = solving
  const once = (options: SolvingOptions) => solveOnce(solver, timers, own, solving, options)
  let options: SolvingOptions = {}
  let found = await once(options)
  const { size } = found.solution
  // The program left out hosts that pass, and these may be needed. So the problem is solved again with all of them.
  if (found.solution.status === 'INFEASIBLE' && size !== null && size.candidates < size.passing) {
    options = { isWide: true }
    found = await once(options)
  }
  // not all instances fit, so as many as possible are placed
  if (problem.mayStay && found.solution.status === 'INFEASIBLE' && size !== null && size.columns > 0) {
    options = { ...options, mayStay: true }
    found = await once(options)
  }
  const { hosts } = found
  if (hosts.length === 0 || (await within(own, async (overlay) => problem.holds(own, overlay, hosts)))) return found
  // The result violates a rule that the program does not contain. The problem is solved again with conflicting kinds of instances on
  // different hosts.
  options = { ...options, isCareful: true }
  const careful = await once(options)
  if (careful.hosts.length > 0) return { ...careful, solution: boundBy(careful.solution, found.solution) }
  const part = problem.mayStay ? await once({ ...options, mayStay: true }) : careful
  return part.hosts.length > 0 ? { ...part, solution: boundBy(part.solution, null) } : found
}

/**
 * Replaces the bound of `part` by the bound of `whole`. The program of `part` leaves out some arrangements, so its own optimum is not a
 * bound for all arrangements. If `whole` is null, no bound is known.
 */
function boundBy<Part extends Omit<Solution, 'hosts'>>(part: Part, whole: Part | null): Part {
  const { objective, limits } = part
  const bound = whole?.bound ?? null
  const gap = bound === null || objective === null || objective === 0 ? null : Math.max(0, bound - objective) / Math.abs(objective)
  const isBest = bound !== null && objective !== null && bound - objective <= limits.gap * Math.abs(objective)
  return { ...part, bound, gap, status: isBest ? 'OPTIMAL' : 'FEASIBLE' }
}

async function solveOnce<Place extends HostName | null, Made extends Formulated<Place>>(
  solver: Solver,
  timers: Timers,
  own: Fleet,
  { problem, limits, left, graceMs }: Solving<Place, Made>,
  options: SolvingOptions,
): Promise<Solved<Place, Made>> {
  const made = await within(own, (overlay) => runYielding(problem.formulate(own, overlay, options), timers))
  const { program, size } = made
  // no host passes for any instance, so there is nothing to solve
  if (size.columns === 0) return unsolved('INFEASIBLE', limits, null, size)
  const found = await solver.solve({ program, timeLimitMs: left(), nodeLimit: limits.nodeLimit, gap: limits.gap }, graceMs)
  if (found.status === 'BUSY') return unsolved('BUSY', limits, null, size)
  const { status, values, objective, bound, gap, nodes, detail } = found
  const hosts = values.length > 0 ? made.read(values) : []
  return { solution: { status, objective, bound, gap, nodes, limits, size, detail }, hosts, made }
}

async function within<T>(fleet: Fleet, use: (overlay: Overlay) => Promise<T>): Promise<T> {
  const overlay = openOverlay(fleet)
  try {
    return await use(overlay)
  } finally {
    overlay.discard()
  }
}
