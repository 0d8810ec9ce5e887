import {
  type CurvePoint,
  copyFleet,
  curveOf,
  ignoredFields,
  MAX_SIMULATED_INSTANCES,
  type Simulated,
  type SimulatedDecision,
  type SimulatedQuestion,
  type SimulatedRequest,
  type Solution,
  type SolverRecord,
  simulate,
  unlocatedFields,
} from '@gantt/scheduler-core'
import { mapYielding } from '../../event-loop/lists.ts'
import { answerYielding, keepFleet, pauseOfQuery } from '../../event-loop/query.ts'
import type { AskSolver } from '../../solver/ask-solver.ts'
import { InputFault, type Issue, issue } from '../calls/outcome.ts'
import { type Examined, examineInstance } from '../explanation/examined.ts'
import { createOwnFleet } from '../moments/own-fleet.ts'
import type { Drain } from '../move/drain.ts'
import { type AskedRequest, isWrong, type PlacedRequest, type ReadRequest } from '../placement/asked-request.ts'
import { checkBinding } from '../placement/call-checks.ts'
import { type Hypothesis, inHypothesis, type OpenHypothetical } from './hypothetical.ts'

const MAX_REQUESTS = 1_000
const MAX_SHOWN = 500
const MAX_POINTS = 500
/** One call may ask for at most this many simulations, because each keeps its fleet until the call is answered. */
export const MAX_SIMULATIONS = 4

export interface SimulateInput extends Hypothesis {
  readonly requests: readonly { readonly request: AskedRequest; readonly count: number }[]
  /** The seed for random choices in the decisions; null for a fixed default seed. */
  readonly seed: string | null
}

/** A decision of a simulation. `explain` works as long as the simulation is in memory. */
export interface SimulatedView extends SimulatedDecision {
  explain(): Promise<Examined>
  /** The paths of request fields that had no effect. */
  readonly ignored: readonly string[]
  /** Those of `ignored` that had no effect because no recent document locates what they name. */
  readonly unlocated: readonly string[]
}

export interface Simulation extends Omit<Simulated, 'decisions' | 'proposals'> {
  readonly asOf: number
  readonly drain: Drain | null
  readonly decisions: readonly SimulatedView[]
  /** The progress of the simulation as a curve with at most `most` + 1 points. Throws InputFault for a number out of range. */
  curve(most: number): readonly CurvePoint[]
}

/** A page of the decisions of a simulation. Throws InputFault for an invalid page argument. */
export function pageOfDecisions(
  decisions: readonly SimulatedView[],
  first: number,
  skip: number,
  outcome: string | undefined,
): SimulatedView[] {
  if (first < 0 || first > MAX_SHOWN) throw InputFault.at(['decisions', 'first'], first, `0 to ${MAX_SHOWN}`)
  if (skip < 0) throw InputFault.at(['decisions', 'skip'], skip, '0 or more')
  return decisions.filter((decision) => outcome === undefined || decision.outcome === outcome).slice(skip, skip + first)
}

/** Decides hypothetical requests on hypothetical fleets. Claims nothing, and appends nothing to the log. */
export interface Simulations {
  /** Throws InputFault for an invalid simulation. */
  simulate(input: SimulateInput): Promise<Simulation>
}

export function createSimulations(open: OpenHypothetical, readRequest: ReadRequest, ask: AskSolver): Simulations {
  const run = async (input: SimulateInput, since: number): Promise<Simulation> => {
    const { requests, issues } = await readAll(readRequest, input.requests)
    const opened = await open(input, issues, requests, since)
    const { fleet, profile, asOf, isOver, left, drain } = opened
    const named = requests.map(({ request, count }, i) => ({ request: opened.requests[i] ?? request, count }))
    // an earlier request of the simulation can have created the server group of this request
    const checkNext = (index: number): void => {
      const { request, path } = requests[index] as PlacedRequest
      const issues = checkBinding(fleet, named[index]?.request ?? request, path)
      if (issues.length > 0) throw new InputFault(issues)
    }
    // the simulation changes the fleet until it ends, so the solver reads a copy
    const asked = profile.scheduler === 'solver' ? copyFleet(fleet) : fleet
    const simulated = await withAnswers(
      simulate(fleet, { requests: named, profile, seed: input.seed ?? 'simulated', isOver, checkNext }),
      (question) => ask(() => asked, { profile, deadlineMs: Math.max(1, left()), ...question }),
    )
    const { proposals, ...rest } = simulated
    const state = createOwnFleet(() => fleet)
    const explain = ({ decided, before }: SimulatedDecision) => {
      const { record, answer } = decided
      const question = {
        record,
        answer,
        before: proposals.slice(0, before),
        fidelity: 'REPLAYED' as const,
        profile,
        basis: asOf,
        state,
      }
      return examineInstance(question, record.instances.length - 1)
    }
    // computed once per request, because copies of a request have the same ignored fields
    const ignored = await mapYielding(named, ({ request }) => ignoredFields(request, profile, fleet))
    const unlocated = await mapYielding(named, ({ request }) => unlocatedFields(request, profile, fleet))
    return {
      ...rest,
      asOf,
      drain,
      decisions: simulated.decisions.map((decision) => ({
        ...decision,
        explain: () => explain(decision),
        ignored: ignored[decision.request] ?? [],
        unlocated: unlocated[decision.request] ?? [],
      })),
      curve(most) {
        if (most < 2 || most > MAX_POINTS) throw InputFault.at(['curve', 'points'], most, `2 to ${MAX_POINTS}`)
        return curveOf(simulated, most)
      },
    }
  }
  return {
    async simulate(input) {
      const kept = keepFleet()
      if (kept > MAX_SIMULATIONS)
        throw InputFault.at(['input'], kept, `one of at most ${MAX_SIMULATIONS} simulations in one call: send the others in further calls`)
      return inHypothesis(input, (since) => run(input, since))
    },
  }
}

/** Runs a simulation in steps. When the simulation needs the solver, `answer` is called. */
async function withAnswers(
  work: Generator<SimulatedQuestion | undefined, Simulated, Solution | undefined>,
  answer: (question: SimulatedQuestion) => Promise<Solution>,
): Promise<Simulated> {
  let solution: Solution | undefined
  function* untilAsked() {
    let step = work.next(solution)
    while (step.done !== true && step.value === undefined) {
      yield
      step = work.next()
    }
    return step
  }
  for (;;) {
    const step = await answerYielding(untilAsked())
    if (step.done) return step.value
    solution = step.value && (await answer(step.value))
  }
}

/** How many decisions called the solver, grouped by the reason and by whether the solver's arrangement was used. */
export function countSolved(decisions: readonly SimulatedDecision[]): readonly SolvedCount[] {
  const counts = new Map<string, SolvedCount>()
  for (const { decided } of decisions) {
    const { solver } = decided.record
    if (solver === undefined) continue
    const { taken, why } = solver
    const key = `${taken} ${why}`
    counts.set(key, { taken, why, decisions: (counts.get(key)?.decisions ?? 0) + 1 })
  }
  return [...counts.values()].sort((a, b) => b.decisions - a.decisions)
}

export interface SolvedCount extends Pick<SolverRecord, 'taken' | 'why'> {
  readonly decisions: number
}

/** Reads all requests, and collects the problems of all of them. */
async function readAll(
  readRequest: ReadRequest,
  given: SimulateInput['requests'],
): Promise<{ readonly requests: readonly (SimulatedRequest & PlacedRequest)[]; readonly issues: readonly Issue[] }> {
  const issues: Issue[] = []
  if (given.length < 1 || given.length > MAX_REQUESTS)
    issues.push(issue(['input', 'requests'], given.length, `be 1 to ${MAX_REQUESTS} requests`))
  const requests: (SimulatedRequest & PlacedRequest)[] = []
  for (const { request: asked, count } of given.slice(0, MAX_REQUESTS)) {
    const pause = pauseOfQuery()
    if (pause !== undefined) await pause
    const read = await readRequest(asked)
    if (isWrong(read)) issues.push(...read)
    else requests.push({ ...read, count })
    if (count < 1) issues.push(issue([...asked.path, 'count'], count, 'be 1 or more'))
  }
  const sum = requests.reduce((all, { request, count }) => all + count * request.numInstances, 0)
  if (sum > MAX_SIMULATED_INSTANCES)
    issues.push(issue(['input', 'requests'], sum, `ask for at most ${MAX_SIMULATED_INSTANCES} instances in total: counts times instances`))
  return { requests, issues }
}
