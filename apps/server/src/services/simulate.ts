import { MOST_SIMULATED, type Simulated, type SimulatedDecision, type SimulatedRequest, simulate } from '@gantt/scheduler-core'
import { inPieces } from '../replica/pieces.ts'
import { type AskedRequest, isWrong, type ReadRequest } from './asked-request.ts'
import { type Examined, examineInstance } from './examined.ts'
import type { Hypothesis, OpenHypothetical } from './hypothetical.ts'
import { InputFault, type Issue, issue } from './outcome.ts'

const MOST_REQUESTS = 1_000
const MOST_SHOWN = 500

export interface SimulateInput extends Hypothesis {
  readonly requests: readonly { readonly request: AskedRequest; readonly count: number }[]
  /** Null: always the same one. */
  readonly seed: string | null
}

/** A decision of a simulation, which can be explained as long as the simulation is held. */
export interface SimulatedView extends SimulatedDecision {
  explain(): Promise<Examined>
}

export interface Simulation extends Omit<Simulated, 'decisions' | 'proposals'> {
  readonly asOf: number
  readonly decisions: readonly SimulatedView[]
}

/** Some of the decisions of a simulation. Throws InputFault for a page that is out of range. */
export function pageOfDecisions(
  decisions: readonly SimulatedView[],
  first: number,
  skip: number,
  outcome: string | undefined,
): SimulatedView[] {
  if (first < 0 || first > MOST_SHOWN) throw InputFault.at(['decisions', 'first'], first, `0 to ${MOST_SHOWN}`)
  if (skip < 0) throw InputFault.at(['decisions', 'skip'], skip, '0 or more')
  return decisions.filter((decision) => outcome === undefined || decision.outcome === outcome).slice(skip, skip + first)
}

/** Decides what nobody asked, on fleets that are not: claims nothing, and appends nothing to the log. */
export interface Simulations {
  /** Throws InputFault for what cannot be simulated. */
  simulate(input: SimulateInput): Promise<Simulation>
}

export function createSimulations(open: OpenHypothetical, readRequest: ReadRequest): Simulations {
  return {
    async simulate(input) {
      const { requests, issues } = await readAll(readRequest, input.requests)
      const { fleet, profile, asOf, isOver } = await open(
        input,
        issues,
        requests.map(({ request }) => request),
      )
      const simulated = await inPieces(simulate(fleet, { requests, profile, seed: input.seed ?? 'simulated', isOver }))
      const { proposals, ...rest } = simulated
      const explain = ({ decided, before }: SimulatedDecision) => {
        const { record, answer } = decided
        const question = {
          record,
          answer,
          before: proposals.slice(0, before),
          fidelity: 'REPLAYED' as const,
          profile,
          basis: asOf,
          read: async <T>(use: (own: typeof fleet) => T): Promise<T> => use(fleet),
        }
        return examineInstance(question, record.instances.length - 1)
      }
      return { ...rest, asOf, decisions: simulated.decisions.map((decision) => ({ ...decision, explain: () => explain(decision) })) }
    },
  }
}

/** The requests, and everything that is wrong with them. */
async function readAll(
  readRequest: ReadRequest,
  given: SimulateInput['requests'],
): Promise<{ readonly requests: readonly SimulatedRequest[]; readonly issues: readonly Issue[] }> {
  const issues: Issue[] = []
  if (given.length < 1 || given.length > MOST_REQUESTS)
    issues.push(issue(['input', 'requests'], given.length, `be 1 to ${MOST_REQUESTS} requests`))
  const requests: SimulatedRequest[] = []
  for (const { request: asked, count } of given.slice(0, MOST_REQUESTS)) {
    const request = await readRequest(asked)
    if (isWrong(request)) issues.push(...request)
    else requests.push({ request, count })
    if (count < 1) issues.push(issue([...asked.path, 'count'], count, 'be 1 or more'))
  }
  const sum = requests.reduce((all, { request, count }) => all + count * request.numInstances, 0)
  if (sum > MOST_SIMULATED)
    issues.push(issue(['input', 'requests'], sum, `ask for at most ${MOST_SIMULATED} instances in all: counts times instances`))
  return { requests, issues }
}
