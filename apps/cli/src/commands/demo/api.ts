import {
  type CallOptions,
  createRetry,
  type Gantt,
  graphql,
  type Placed as PlacedAnswer,
  type Surroundings,
  type TypedDocument,
  textOf,
} from '@gantt/client'
import type { ServiceClient } from '../../call/connection.ts'
import type { Page } from '../../call/pages.ts'
import type { ClosedHosts } from './fleet.ts'
import type { DemoStats } from './host.ts'
import type { DemoSpec } from './requests.ts'
import type { RunningClaim } from './running.ts'

/** An error of the demo that is shown to the user without its stack, for example if the service refused a call. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

export interface ClaimRef {
  readonly id: string
  readonly fence: number
}

/** A claim, and the host that holds it. */
export interface HeldClaim extends ClaimRef {
  readonly host: string
}

export interface KnownAggregate {
  readonly name: string
  readonly uuid: string
  readonly version: number
  readonly hostNames: readonly string[]
}

export interface Report {
  readonly host: string
  readonly incarnation: string
  readonly sequence: number
  readonly stats: DemoStats
}

export interface Placed {
  /** The global id of the decision. */
  readonly decision: string
  /** The claims of the request; empty if no host fits it. */
  readonly claims: readonly HeldClaim[]
}

export interface Counts {
  readonly hosts: number
  readonly aggregates: number
  readonly claims: number
  readonly decisions: number
}

/**
 * The calls of the demo, which use the public API. All calls end when `stopped` is aborted. A call is retried if the service answers that
 * retrying is possible. `createAggregate` and `addHosts` are not retried, because a retry could repeat the change. Callers of these two use
 * `retryWork`.
 */
export interface DemoApi {
  /** Sends one call that is safe to retry, and retries it as long as the service answers that it may be retried. */
  ask: ServiceClient['request']
  /** Runs work that is safe to retry, and retries it as long as the service answers that it may be retried. */
  retryWork<Value>(work: () => Promise<Value>): Promise<Value>
  count(): Promise<Counts>
  /** Sends reports. A report that the service already has, with the same sequence number, is not a failure. */
  report(reports: readonly Report[]): Promise<void>
  aggregates(): Promise<readonly KnownAggregate[]>
  createAggregate(name: string, metadata: Readonly<Record<string, string>>): Promise<KnownAggregate>
  /** Adds hosts to the aggregate, and returns the aggregate's new version. */
  addHosts(aggregate: Pick<KnownAggregate, 'uuid' | 'version'>, hosts: readonly string[]): Promise<number>
  close(closed: ClosedHosts): Promise<void>
  /** Reserves resources for the time `ttl`. */
  select(spec: DemoSpec, key: string, ttl: string): Promise<Placed>
  confirm(claims: readonly ClaimRef[]): Promise<void>
  release(claims: readonly ClaimRef[]): Promise<void>
  /** All live claims. */
  liveClaims(): Promise<readonly (HeldClaim & { readonly instanceUuid: string | null })[]>
  /** The names of hosts that list instances or hold claims. */
  occupied(): Promise<readonly string[]>
  /** The confirmed claims of a host. Their instances run on the host. */
  running(host: string): Promise<readonly RunningClaim[]>
}

interface Ended {
  readonly __typename: string
  readonly message?: string
}

const AGGREGATES = graphql(`query Aggregates { aggregates(first: 500) { nodes { name uuid version hostNames } } }`)

const AGGREGATE_CREATE = graphql(`mutation Gather($input: AggregateCreateInput!) {
  aggregateCreate(input: $input) {
    __typename ... on AggregatePayload { aggregate { name uuid version hostNames } } ... on UserError { message }
  }
}`)

const AGGREGATE_UPDATE = graphql(`mutation Join($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
  aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input) {
    __typename ... on AggregatePayload { aggregate { version } } ... on UserError { message }
  }
}`)

const SET_STATUS = graphql(`mutation Close($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!) {
  hostSetStatus(hosts: $hosts, status: $status, reason: $reason) { __typename ... on UserError { message } }
}`)

/** The longest deadline that the API allows for a call, because a busy machine with a large fleet is slow and the demo can wait. */
const DEADLINE = 'PT60S'

const CLAIMS = graphql(
  `query Claims($after: String) { claims(first: 500, after: $after, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount pageInfo { hasNextPage endCursor } nodes { id fence instanceUuid host { name } } } }`,
)

const OCCUPIED = graphql(
  `query Occupied($after: String) { hosts(first: 500, after: $after, query: "instances>0") { totalCount pageInfo { hasNextPage endCursor } nodes { name } } }`,
)

const RUNNING =
  graphql(`query Running($host: String!, $after: String) { host(name: $host) { claims(first: 500, after: $after, states: [CONFIRMED, MATERIALISED]) {
  totalCount pageInfo { hasNextPage endCursor } nodes { instanceUuid resources { resourceClass amount } cells { cell cpus memoryMb pinned } gpus { index milli } }
} } }`)

const COUNT = graphql(`query Count {
  hosts(first: 1) { totalCount } aggregates(first: 1) { totalCount }
  claims(first: 1, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount } decisions(first: 1) { totalCount }
}`)

export function createDemoApi(gantt: Gantt, stopped: AbortSignal, surroundings: Surroundings = {}): DemoApi {
  const retry = createRetry(surroundings)
  const options: CallOptions = { ...TIMEOUTS, signal: stopped }
  const callOnce: ServiceClient['request'] = <Data, Input>(
    document: TypedDocument<Data, Input>,
    variables?: Readonly<Record<string, unknown>>,
  ) => gantt.client.request<Data>(textOf(document), variables, { deadlineMs: TIMEOUTS.attemptMs, signal: stopped })
  const retryWork = <Value>(work: () => Promise<Value>): Promise<Value> => retry(options, work)
  const call: ServiceClient['request'] = (document, ...variables) => retryWork(() => callOnce(document, ...variables))

  const calls: Calling = { gantt, options, call, callOnce }
  return {
    ...fleetCalls(calls),
    ...claimCalls(calls),
    retryWork,
    ask: call,

    async count() {
      const found = await call(COUNT)
      return {
        hosts: found.hosts.totalCount,
        aggregates: found.aggregates.totalCount,
        claims: found.claims.totalCount,
        decisions: found.decisions.totalCount,
      }
    },
  }
}

/** The objects that every call of the demo uses. */
interface Calling {
  readonly gantt: Gantt
  readonly options: CallOptions
  /** Sends a call, and retries it if the service answers that it may be retried. */
  readonly call: ServiceClient['request']
  readonly callOnce: ServiceClient['request']
}

type FleetCalls = Pick<DemoApi, 'report' | 'aggregates' | 'createAggregate' | 'addHosts' | 'close' | 'occupied'>
type ClaimCalls = Pick<DemoApi, 'select' | 'confirm' | 'release' | 'liveClaims' | 'running'>

const fleetCalls = ({ gantt, options, call, callOnce }: Calling): FleetCalls => ({
  async report(reports) {
    const updates = reports.map(({ host, incarnation, sequence, stats }) => ({
      name: { host },
      reporter: { incarnation, sequence },
      report: { full: { ...stats, hypervisorHostname: host } },
    }))
    const { results } = await gantt.updateResourceStats(updates, options)
    for (const result of results) expectEnd(result, 'ResourceStatsApplied', 'ResourceStatsStale')
  },

  async aggregates() {
    return (await call(AGGREGATES)).aggregates.nodes
  },

  async createAggregate(name, metadata) {
    const input = { name, metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })) }
    const { aggregateCreate } = await callOnce(AGGREGATE_CREATE, { input })
    return payloadOf(aggregateCreate)
  },

  async addHosts({ uuid, version }, hosts) {
    const { aggregateUpdate } = await callOnce(AGGREGATE_UPDATE, {
      uuid,
      ifVersion: version,
      input: { addHosts: hosts },
    })
    return payloadOf(aggregateUpdate).version
  },

  async close({ hosts, status, reason }) {
    const names = hosts.map((host) => ({ host }))
    expectEnd((await call(SET_STATUS, { hosts: names, status, reason })).hostSetStatus, 'HostSetStatusPayload')
  },

  async occupied() {
    const hosts = await allPages(async (after) => (await call(OCCUPIED, { after })).hosts)
    return hosts.map(({ name }) => name)
  },
})

const claimCalls = ({ gantt, options, call }: Calling): ClaimCalls => ({
  async select(spec, key, ttl) {
    const input = { spec: { gantt: spec }, idempotencyKey: key, claim: { mode: 'RESERVE', ttl }, deadline: DEADLINE } as const
    const answer = await gantt.selectDestinations(input, options)
    if (answer.__typename === 'NoValidHost') return { decision: answer.decision.id, claims: [] }
    if (answer.__typename !== 'SelectDestinationsPayload') throw unexpected(answer)
    return { decision: answer.decision.id, claims: answer.destinations.flatMap(refsOf) }
  },

  // A user of the demo may have ended the claim since it was made.
  async confirm(claims) {
    for (const result of await gantt.confirm(claims.map(toRef), options)) expectEnd(result, 'ClaimPayload', 'ClaimLost', 'NotFound')
  },

  async release(claims) {
    for (const result of await gantt.release(claims.map(toRef), 'deleted by its owner', options))
      expectEnd(result, 'ClaimPayload', 'ClaimLost', 'NotFound')
  },

  async liveClaims() {
    const claims = await allPages(async (after) => (await call(CLAIMS, { after })).claims)
    return claims.map(({ host: { name }, ...claim }) => ({ ...claim, host: name }))
  },

  running: (host) => allPages(async (after) => (await call(RUNNING, { host, after })).host?.claims ?? NO_CLAIMS),
})

/**
 * The time limits of calls that are retried. One attempt may take longer than the service's own deadline, because a busy machine with a
 * large fleet is slow.
 */
const TIMEOUTS = { deadlineMs: 300_000, attemptMs: 90_000 }

/** A claim reduced to the fields that a call accepts. */
export const toRef = ({ id, fence }: ClaimRef): ClaimRef => ({ id, fence })

const refsOf = ({ selected: { claim, host } }: PlacedAnswer['destinations'][number]): readonly HeldClaim[] =>
  claim === null ? [] : [{ id: claim.id, fence: claim.fence, host: host.name }]

/** An empty list of claims, used for a host that has left the fleet. */
const NO_CLAIMS = { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }

async function allPages<Node>(read: (after: string | null) => Promise<Page<Node>>): Promise<Node[]> {
  const nodes: Node[] = []
  let after: string | null = null
  do {
    const page: Page<Node> = await read(after)
    nodes.push(...page.nodes)
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null)
  return nodes
}

function expectEnd(ended: Ended, ...wanted: readonly string[]): void {
  if (!wanted.includes(ended.__typename)) throw unexpected(ended)
}

const unexpected = ({ __typename, message }: Ended): DemoError =>
  new DemoError(`the service answered ${__typename}${message === undefined ? '' : `: ${message}`}`)

function payloadOf<Aggregate>(ended: Ended & { readonly aggregate?: Aggregate | null }): Aggregate {
  expectEnd(ended, 'AggregatePayload')
  if (ended.aggregate === undefined || ended.aggregate === null) throw new DemoError("the service's answer has no aggregate")
  return ended.aggregate
}
