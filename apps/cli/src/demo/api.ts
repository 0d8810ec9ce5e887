import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, FaultError } from '@gantt/client'
import { LARGEST_PAGE, PAGE_INFO, type Page } from '../commands/pages.ts'
import type { ClosedHosts } from './fleet.ts'
import type { DemoStats } from './host.ts'
import type { DemoSpec } from './requests.ts'

/** The service did not do what the demo asked; the message is the service's own. */
export class DemoError extends Error {
  override readonly name = 'DemoError'
}

export interface ClaimRef {
  readonly id: string
  readonly fence: number
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
  /** Global id. */
  readonly decision: string
  /** Empty when no host could take the request. */
  readonly claims: readonly ClaimRef[]
}

export interface Counts {
  readonly hosts: number
  readonly aggregates: number
  readonly claims: number
  readonly decisions: number
}

/**
 * The calls of the demo, as any caller of the service makes them. All end when `stopped` is aborted. Where the service asks
 * to come again they do; but `createAggregate` and `addHosts` are not safe to repeat, and leave that to `insist`.
 */
export interface DemoApi {
  /** One call of any kind that is safe to repeat. */
  ask<Data>(document: string, variables: Readonly<Record<string, unknown>>): Promise<Data>
  /** Does work that finds out itself what is done already, again for as long as the service asks to come again. */
  insist<Value>(work: () => Promise<Value>): Promise<Value>
  count(): Promise<Counts>
  /** Reports that are known already, by their sequence, are no failure. */
  report(reports: readonly Report[]): Promise<void>
  aggregates(): Promise<readonly KnownAggregate[]>
  createAggregate(name: string, metadata: Readonly<Record<string, string>>): Promise<KnownAggregate>
  /** Answers the aggregate's next version. */
  addHosts(aggregate: Pick<KnownAggregate, 'uuid' | 'version'>, hosts: readonly string[]): Promise<number>
  close(closed: ClosedHosts): Promise<void>
  /** Reserves room for `ttl`. */
  select(spec: DemoSpec, key: string, ttl: string): Promise<Placed>
  confirm(claims: readonly ClaimRef[]): Promise<void>
  release(claims: readonly ClaimRef[]): Promise<void>
  /** Everything that holds room. */
  liveClaims(): Promise<readonly (ClaimRef & { readonly instanceUuid: string | null })[]>
}

interface Ended {
  readonly __typename: string
  readonly message?: string
}

const REPORT = `mutation Report($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { results { __typename ... on UserError { message } } }
}`

const AGGREGATES = `query Aggregates { aggregates(first: 500) { nodes { name uuid version hostNames } } }`

const AGGREGATE_CREATE = `mutation Gather($input: AggregateCreateInput!) {
  aggregateCreate(input: $input) {
    __typename ... on AggregatePayload { aggregate { name uuid version hostNames } } ... on UserError { message }
  }
}`

const AGGREGATE_UPDATE = `mutation Join($uuid: UUID!, $ifVersion: Int!, $input: AggregateUpdateInput!) {
  aggregateUpdate(uuid: $uuid, ifVersion: $ifVersion, input: $input) {
    __typename ... on AggregatePayload { aggregate { version } } ... on UserError { message }
  }
}`

const SET_STATUS = `mutation Close($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!) {
  hostSetStatus(hosts: $hosts, status: $status, reason: $reason) { __typename ... on UserError { message } }
}`

const SELECT = `mutation Place($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload { decision { id } destinations { selected { claim { id fence } } } }
    ... on NoValidHost { decision { id } }
    ... on UserError { message }
  }
}`

const CONFIRM = `mutation Confirm($claims: [ClaimRef!]!) { claimConfirm(claims: $claims) { __typename ... on UserError { message } } }`

const RELEASE = `mutation Release($claims: [ClaimRef!]!) {
  claimRelease(claims: $claims, reason: "deleted by its owner") { __typename ... on UserError { message } }
}`

/** As long as the API lets a caller wait: a busy machine with a large fleet is slow, and a demo has time. */
const DEADLINE = 'PT60S'

const LIVE = '[RESERVED, CONFIRMED, MATERIALISED]'

const CLAIMS = `query Claims($after: String) { claims(first: ${LARGEST_PAGE}, after: $after, states: ${LIVE}) { ${PAGE_INFO} nodes { id fence instanceUuid } } }`

const COUNT = `query Count {
  hosts(first: 1) { totalCount } aggregates(first: 1) { totalCount }
  claims(first: 1, states: ${LIVE}) { totalCount } decisions(first: 1) { totalCount }
}`

export function createDemoApi(client: Client, stopped: AbortSignal, repeatAfterMs = REPEAT_AFTER_MS): DemoApi {
  const callOnce = <Data>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> =>
    client.request<Data>(document, variables, { signal: stopped })
  const insist = <Value>(work: () => Promise<Value>): Promise<Value> => repeat(work, stopped, repeatAfterMs)
  const call = <Data>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> =>
    insist(() => callOnce<Data>(document, variables))

  return {
    insist,
    ask: call,

    async count() {
      const found = await call<Record<keyof Counts, { readonly totalCount: number }>>(COUNT)
      return {
        hosts: found.hosts.totalCount,
        aggregates: found.aggregates.totalCount,
        claims: found.claims.totalCount,
        decisions: found.decisions.totalCount,
      }
    },

    async report(reports) {
      const updates = reports.map(({ host, incarnation, sequence, stats }) => ({
        name: { host },
        reporter: { incarnation, sequence },
        report: { full: { ...stats, hypervisorHostname: host } },
      }))
      const { updateResourceStats } = await call<{ updateResourceStats: { results: readonly Ended[] } }>(REPORT, { input: { updates } })
      for (const result of updateResourceStats.results) expectEnd(result, 'ResourceStatsApplied', 'ResourceStatsStale')
    },

    async aggregates() {
      return (await call<{ aggregates: { nodes: readonly KnownAggregate[] } }>(AGGREGATES)).aggregates.nodes
    },

    async createAggregate(name, metadata) {
      const input = { name, metadata: Object.entries(metadata).map(([key, value]) => ({ key, value })) }
      const { aggregateCreate } = await callOnce<{ aggregateCreate: Ended & { aggregate?: KnownAggregate } }>(AGGREGATE_CREATE, { input })
      return payloadOf(aggregateCreate).aggregate
    },

    async addHosts({ uuid, version }, hosts) {
      const { aggregateUpdate } = await callOnce<{ aggregateUpdate: Ended & { aggregate?: { version: number } } }>(AGGREGATE_UPDATE, {
        uuid,
        ifVersion: version,
        input: { addHosts: hosts },
      })
      return payloadOf(aggregateUpdate).aggregate.version
    },

    async close({ hosts, status, reason }) {
      const names = hosts.map((host) => ({ host }))
      expectEnd((await call<{ hostSetStatus: Ended }>(SET_STATUS, { hosts: names, status, reason })).hostSetStatus, 'HostSetStatusPayload')
    },

    async select(spec, key, ttl) {
      const { selectDestinations } = await call<{ selectDestinations: SelectAnswer }>(SELECT, {
        input: { spec: { gantt: spec }, idempotencyKey: key, claim: { mode: 'RESERVE', ttl }, deadline: DEADLINE },
      })
      expectEnd(selectDestinations, 'SelectDestinationsPayload', 'NoValidHost')
      const { decision, destinations = [] } = selectDestinations
      return { decision: decision?.id ?? '', claims: destinations.flatMap(({ selected: { claim } }) => (claim === null ? [] : [claim])) }
    },

    // a claim may have been ended by whoever looks around meanwhile
    async confirm(claims) {
      const { claimConfirm } = await call<{ claimConfirm: readonly Ended[] }>(CONFIRM, { claims })
      for (const result of claimConfirm) expectEnd(result, 'ClaimPayload', 'ClaimLost', 'NotFound')
    },

    async release(claims) {
      const { claimRelease } = await call<{ claimRelease: readonly Ended[] }>(RELEASE, { claims })
      for (const result of claimRelease) expectEnd(result, 'ClaimPayload', 'ClaimLost', 'NotFound')
    },

    async liveClaims() {
      const claims: (ClaimRef & { instanceUuid: string | null })[] = []
      let after: string | null = null
      do {
        const page: { claims: Page<ClaimRef & { instanceUuid: string | null }> } = await call(CLAIMS, { after })
        claims.push(...page.claims.nodes)
        after = page.claims.pageInfo.hasNextPage ? page.claims.pageInfo.endCursor : null
      } while (after !== null)
      return claims
    },
  }
}

/** How often and how far apart: a busy machine with a large fleet is slow, and a demo has time. */
const REPEATS = 30
const REPEAT_AFTER_MS = 2_000

async function repeat<Value>(work: () => Promise<Value>, stopped: AbortSignal, afterMs: number): Promise<Value> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await work()
    } catch (error) {
      const mayRepeat = error instanceof FaultError && error.faults[0]?.extensions?.retryable === true
      if (!mayRepeat || repeats === REPEATS) throw error
      await sleep(afterMs, undefined, { signal: stopped })
    }
  }
}

interface SelectAnswer extends Ended {
  readonly decision?: { readonly id: string }
  readonly destinations?: readonly { readonly selected: { readonly claim: ClaimRef | null } }[]
}

function expectEnd({ __typename, message }: Ended, ...wanted: readonly string[]): void {
  if (!wanted.includes(__typename)) throw new DemoError(`the service answered ${__typename}${message === undefined ? '' : `: ${message}`}`)
}

function payloadOf<Aggregate>(ended: Ended & { readonly aggregate?: Aggregate }): { readonly aggregate: Aggregate } {
  expectEnd(ended, 'AggregatePayload')
  if (ended.aggregate === undefined) throw new DemoError('the service answered no aggregate')
  return { aggregate: ended.aggregate }
}
