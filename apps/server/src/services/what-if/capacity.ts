import { type Capacity, type CapacityOptions, countCapacity, type RequestSpec } from '@gantt/scheduler-core'
import { answerYielding } from '../../event-loop/query.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Drain } from '../move/drain.ts'
import { type AskedRequest, isWrong, type PlacedRequest, type ReadRequest } from '../placement/asked-request.ts'
import { type Hypothesis, inHypothesis, type OpenHypothetical } from './hypothetical.ts'

/** The fields by which hosts are grouped. */
export const capacityGroupings = ['AVAILABILITY_ZONE', 'AGGREGATE', 'HOST'] as const
export type CapacityGrouping = (typeof capacityGroupings)[number]

export interface CapacityInput extends Hypothesis {
  readonly request: AskedRequest
  readonly groupBy: CapacityGrouping
  readonly limit: number
}

export interface CapacityAnswer extends Capacity {
  readonly asOf: number
  readonly drain: Drain | null
}

/** Counts how many more instances fit. */
export interface Capacities {
  /** Throws InputFault for invalid input. */
  count(input: CapacityInput): Promise<CapacityAnswer>
}

const MAX_COUNTED = 100_000_000
/** At most this many groups are in one answer. */
const MAX_GROUPS = 500

/** The first groups of an answer. Throws InputFault if `first` is out of range. */
export function firstGroups({ groups }: Capacity, first: number): Capacity['groups'] {
  if (first < 0 || first > MAX_GROUPS) throw InputFault.at(['groups', 'first'], first, `0 to ${MAX_GROUPS}`)
  return groups.slice(0, first)
}

/** The error for a gang. It has the path of the request, or of the decision that made the request. */
function severalKinds({ path }: PlacedRequest, { gang }: RequestSpec, { decisionId }: AskedRequest): InputFault {
  const why = 'capacity is counted for one kind of instances, so give each kind of the gang as a spec of its own'
  return decisionId === null
    ? InputFault.at([...path, 'gang'], gang, `an empty list: ${why}`)
    : InputFault.at(path, decisionId, `the id of a decision about one kind of instances: ${why}`)
}

export function createCapacities(open: OpenHypothetical, readRequest: ReadRequest): Capacities {
  const count = async (input: CapacityInput, since: number): Promise<CapacityAnswer> => {
    const read = await readRequest(input.request)
    const issues = [...(isWrong(read) ? read : []), ...checkRange(['input', 'limit'], input.limit, 1, MAX_COUNTED)]
    const { fleet, profile, requests, asOf, isOver, drain } = await open(input, issues, isWrong(read) ? [] : [read], since)
    if (isWrong(read)) throw new InputFault(read)
    const [request = read.request] = requests
    if (request.gang.length > 0) throw severalKinds(read, request, input.request)
    const groupings: Readonly<Record<CapacityGrouping, CapacityOptions['groupsOf']>> = {
      AVAILABILITY_ZONE: ({ zone }) => [zone],
      AGGREGATE: ({ aggregates }) => aggregates.map((uuid) => fleet.aggregates.byUuid.get(uuid)?.name ?? uuid),
      HOST: ({ host, node }) => [host === node ? host : `${host}/${node}`],
    }
    const groupsOf = groupings[input.groupBy]
    const options: CapacityOptions = { request, profile, seed: 'counted', limit: input.limit, groupsOf, isOver }
    return { ...(await answerYielding(countCapacity(fleet, options))), asOf, drain }
  }
  return { count: (input) => inHypothesis(input, (since) => count(input, since)) }
}
