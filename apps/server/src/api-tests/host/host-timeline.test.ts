import { randomUUID } from 'node:crypto'
import { aClaim } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

const TIMELINE = `query ($at: Moment, $kinds: [HostTimelineKind!], $first: Int, $after: String, $host: String = "h1") {
  host(name: $host, at: $at) { timeline(first: $first, after: $after, kinds: $kinds) {
    since { revision at } totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes { kind at revision text reason changes { field before after } changesLeftOut aggregateUuid aggregateName claimId instanceUuid endedAs
      account decision { id } attempt code edit { account mutation target } } } } }`

/** The engines that can store the log. */
const engines = [
  { engine: 'postgres', skipped: undefined },
  { engine: 'nats', skipped: noNatsServer },
]

describe.each(engines)('the timeline of a host, with the log in $engine', ({ engine, skipped }) => {
  if (skipped !== undefined) {
    test(`the timeline is read from its tables [skipped: ${skipped}]`, (context) => context.skip(skipped))
    return
  }
  let cluster: NatsServers | undefined
  let api: TestService
  const marks: Record<string, string> = {}
  let claim: Json

  const ask = (query: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, query, variables)
  const timeline = async (variables: Record<string, unknown> = {}): Promise<Json> => (await ask(TIMELINE, variables)).host.timeline
  const kinds = ({ nodes }: Json): string[] => nodes.map(({ kind }: Json) => kind)
  const mark = async (name: string): Promise<void> => {
    marks[name] = (await ask('{ fleet { asOf } }')).fleet.asOf
  }

  beforeAll(async () => {
    cluster = engine === 'nats' ? await startNatsServers() : undefined
    api = await startTestService(cluster === undefined ? {} : { nats: parseNatsAddress(`${cluster.url}/timeline`) })
    await api.report({ h1: { vcpus: 16, traits: ['HW_A'] }, h2: {} })
    await mark('reported')
    await ask('mutation { hostSetStatus(hosts: [{ host: "h2" }], status: DISABLED, reason: "other") { __typename } }')
    await ask('mutation { hostSetStatus(hosts: [{ host: "h1" }], status: DISABLED, reason: "tried", dryRun: true) { __typename } }')
    await ask('mutation { hostSetStatus(hosts: [{ host: "h1" }], status: DISABLED, reason: "disk") { __typename } }')
    await ask('mutation { hostSetStatus(hosts: [{ host: "h1" }], status: ENABLED, reason: "mended") { __typename } }')
    await mark('mended')
    await api.report({ h1: { vcpus: 16, traits: ['HW_A'], vcpusUsed: 1 } })
    await api.report({ h1: { vcpus: 32, cpuAllocationRatio: 2, traits: ['HW_B'] } })
    await mark('grown')
    const { aggregateCreate } = await ask(
      'mutation { aggregateCreate(input: { name: "rack", availabilityZone: "z1", hosts: ["h1"] }) { ... on AggregatePayload { aggregate { uuid } } } }',
    )
    const { uuid } = aggregateCreate.aggregate
    marks.rack = uuid
    await ask(
      `mutation ($u: UUID!) { aggregateUpdate(uuid: $u, ifVersion: 1, input: { setMetadata: [{ key: "ssd", value: "true" }] }) { __typename } }`,
      { u: uuid },
    )
    const placed = await placeWith(api, { claim: { mode: 'RESERVE' } }, { availabilityZone: 'z1' })
    claim = placed.destinations[0].selected.claim
    const [{ __typename }] = (
      await ask('mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }', { c: [{ id: claim.id, fence: claim.fence }] })
    ).claimConfirm
    expect(__typename).toBe('ClaimPayload')
    await mark('confirmed')
    await ask('mutation ($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "leak") { __typename } }', { ids: [claim.id] })
    await ask('mutation ($u: UUID!) { aggregateDelete(uuid: $u, ifVersion: 2) { __typename } }', { u: uuid })
    const { replica } = api.service
    // the claim is larger than the host, so it is void when it is applied
    const lost = aClaim({ hosts: ['h1'], grants: { classes: { VCPU: 1_000_000 } } })
    const [verdict] = await replica.propose([{ ...lost, decision: { ...lost.decision, id: randomUUID() } }])
    expect(verdict?.void).toBeDefined()
    marks.lost = verdict?.void as string
    // the order of events within one millisecond is undefined
    const then = Date.now()
    await vi.waitUntil(() => Date.now() > then + 1, { timeout: 120_000, interval: 1 })
    await replica.propose([{ type: 'liveness', host: 'h1', node: 'h1', state: 'DOWN', reason: 'silent for 90 s' }])
  })
  afterAll(async () => {
    await api?.close()
    await cluster?.stop()
  })

  test('the timeline is returned newest first, with event, time, reason, and values', async () => {
    const all = await timeline()
    expect(kinds(all)).toEqual([
      'LIVENESS',
      'TRY_LOST',
      'AGGREGATE_LEFT',
      'CLAIM_ENDED',
      'CLAIM_CONFIRMED',
      'CLAIM_MADE',
      'AGGREGATE_EDITED',
      'AGGREGATE_JOINED',
      'INVENTORY',
      'STATUS',
      'STATUS',
      'FIRST_REPORT',
    ])
    expect(all).toMatchObject({ since: null, totalCount: 12, pageInfo: { hasNextPage: false, hasPreviousPage: false } })
    const times = all.nodes.map(({ at }: Json) => Date.parse(at))
    expect(times).toEqual([...times].sort((a: number, b: number) => b - a))
    const [down, tried, left, ended, confirmed, made, edited, joined, grown, mended, disabled, first] = all.nodes
    expect(down).toMatchObject({ reason: 'silent for 90 s', changes: [{ field: 'state', before: 'UP', after: 'DOWN' }], edit: null })
    expect(tried).toMatchObject({ attempt: 1, code: marks.lost, claimId: null })
    expect([left, edited, joined].map(({ aggregateUuid, aggregateName }) => [aggregateUuid, aggregateName])).toEqual(
      Array(3).fill([marks.rack, 'rack']),
    )
    expect([left.changes, edited.changes, joined.changes]).toEqual([
      [{ field: 'availability_zone', before: 'z1', after: null }],
      [{ field: 'metadata.ssd', before: null, after: 'true' }],
      [{ field: 'availability_zone', before: null, after: 'z1' }],
    ])
    expect(ended).toMatchObject({ endedAs: 'REVOKED', reason: 'leak', decision: { id: expect.any(String) } })
    for (const one of [ended, confirmed, made]) expect(one).toMatchObject({ account: 'admin', claimId: made.claimId })
    expect(Buffer.from(claim.id, 'base64url').toString()).toBe(`Claim:${made.claimId}`)
    expect(grown.changes).toEqual([
      { field: 'vcpus', before: '16', after: '32' },
      { field: 'cpuAllocationRatio', before: '1', after: '2' },
      { field: 'trait HW_A', before: 'yes', after: null },
      { field: 'trait HW_B', before: null, after: 'yes' },
    ])
    expect(grown.revision).toBe(marks.grown)
    expect([mended.revision, mended.text]).toEqual([marks.mended, 'The status was set: status DISABLED -> ENABLED (mended).'])
    expect(disabled).toMatchObject({ reason: 'disk', changes: [{ before: 'ENABLED', after: 'DISABLED' }] })
    expect(first).toMatchObject({ revision: marks.reported, changes: [], reason: null })
  })

  test('the timeline names the author of an event only to callers that may read the audit', async () => {
    const { nodes } = await timeline({ kinds: ['STATUS', 'AGGREGATE_LEFT', 'AGGREGATE_EDITED', 'CLAIM_ENDED'] })
    expect(nodes.map(({ edit }: Json) => edit)).toEqual([
      { account: 'admin', mutation: 'aggregateDelete', target: marks.rack },
      { account: 'admin', mutation: 'claimRevoke', target: nodes[1].claimId },
      { account: 'admin', mutation: expect.stringMatching(/^aggregate/), target: marks.rack },
      { account: 'admin', mutation: 'hostSetStatus', target: 'h1' },
      { account: 'admin', mutation: 'hostSetStatus', target: 'h1' },
    ])
    const reader = await api.keyWith('READ')
    const { data } = await api.ask(TIMELINE, { kinds: ['STATUS'] }, reader)
    expect((data as Json).host.timeline.nodes.map(({ reason, edit }: Json) => [reason, edit])).toEqual([
      ['mended', null],
      ['disk', null],
    ])
  })

  test('the timeline can be read page by page with any page size, and by kind', async () => {
    const whole = (await timeline()).nodes
    for (const first of [1, 5]) {
      const found: Json[] = []
      for (let after: string | null = null; ; ) {
        const page: Json = await timeline({ first, after })
        found.push(...page.nodes)
        expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
        if (!page.pageInfo.hasNextPage) break
        after = page.pageInfo.endCursor
      }
      expect(found).toEqual(whole)
    }
    expect(kinds(await timeline({ kinds: ['CLAIM_MADE', 'CLAIM_ENDED'] }))).toEqual(['CLAIM_ENDED', 'CLAIM_MADE'])
    expect(await timeline({ kinds: ['TRY_LOST'] })).toMatchObject({ totalCount: 1 })
    expect(kinds(await timeline({ host: 'h2' }))).toEqual(['STATUS', 'FIRST_REPORT'])
    expect(await timeline({ kinds: [] })).toMatchObject({ nodes: [], totalCount: 0 })
  })

  test('the timeline refuses page arguments that are out of range, and cursors of another list', async () => {
    expect(codeOf(await api.ask(TIMELINE, { first: 501 }))).toBe('GRAPHQL_VALIDATION_FAILED')
    const { pageInfo } = await timeline({ first: 1 })
    expect(codeOf(await api.ask(TIMELINE, { after: pageInfo.endCursor, kinds: ['STATUS'] }))).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(codeOf(await api.ask(TIMELINE, { after: pageInfo.endCursor, host: 'h2' }))).toBe('GRAPHQL_VALIDATION_FAILED')
  })

  test('the timeline at a moment ends at that moment', async () => {
    expect(kinds(await timeline({ at: marks.reported }))).toEqual(['FIRST_REPORT'])
    expect(kinds(await timeline({ at: marks.mended }))).toEqual(['STATUS', 'STATUS', 'FIRST_REPORT'])
    expect(kinds(await timeline({ at: marks.confirmed })).slice(0, 2)).toEqual(['CLAIM_CONFIRMED', 'CLAIM_MADE'])
  })

  test('if a release that stores no timeline events wrote entries, the timeline states from when on it is complete', async () => {
    const database = new pg.Client(api.connection)
    await database.connect()
    // simulates entries that were written by a release without timeline events
    await database.query('UPDATE host_change_span SET to_revision = to_revision - 1')
    await database.end()
    const before = (await ask('{ fleet { asOf } }')).fleet.asOf
    await ask('mutation { hostSetStatus(hosts: [{ host: "h1" }], status: DRAINING, reason: "gap") { __typename } }')
    const behind = await timeline()
    expect(behind.since).toEqual({ revision: before, at: behind.nodes[0].at })
    await api.report({ h3: {} })
    expect(await timeline({ host: 'h3' })).toMatchObject({ since: null, totalCount: 1 })
  })
})
