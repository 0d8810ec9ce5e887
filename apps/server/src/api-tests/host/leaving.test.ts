import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parseNatsAddress } from '../../sync/nats/address.ts'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { FORGET, READMIT, REPLACE, REPORT } from './testing/leaving.ts'

/** The engines that can store the log. */
const engines = [
  { engine: 'postgres', skipped: undefined },
  { engine: 'nats', skipped: noNatsServer },
]

describe.each(engines)('hosts that leave, with the log in $engine', ({ engine, skipped }) => {
  if (skipped !== undefined) {
    test(`hosts are forgotten [skipped: ${skipped}]`, (context) => context.skip(skipped))
    return
  }
  let cluster: NatsServers | undefined
  let api: TestService
  beforeAll(async () => {
    cluster = engine === 'nats' ? await startNatsServers() : undefined
    api = await startTestService(cluster === undefined ? {} : { nats: parseNatsAddress(`${cluster.url}/leaving`) })
  })
  afterAll(async () => {
    await api.close()
    await cluster?.stop()
    // the auditor can examine the state between the two reports of a moved instance, so its finding is expected
    const expected = /^(A single nats-server runs|the auditor found)/
    expect(api.warnings.filter((warning) => !expected.test(warning))).toEqual([])
  })

  const ask = (query: string, variables?: Record<string, unknown>): Promise<Json> => dataOf(api, query, variables)
  const forget = async (host: string, more: Record<string, unknown> = {}): Promise<Json> =>
    (await ask(FORGET, { hosts: [{ host }], ...more })).hostForget
  const readmit = async (host: string): Promise<Json> => (await ask(READMIT, { host: { host } })).hostReadmit
  const replace = async (host: string, by: string, more: Record<string, unknown> = {}): Promise<Json> =>
    (await ask(REPLACE, { host: { host }, by: { host: by }, ...more })).hostReplace
  const names = async (gone = false): Promise<string[]> =>
    (await ask('query ($gone: Boolean!) { hosts(first: 100, gone: $gone) { nodes { name } } }', { gone })).hosts.nodes.map(
      ({ name }: Json) => name,
    )
  const stats = (more: Record<string, unknown> = {}) => ({
    ...{ vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0, instances: [], ...more },
  })
  /** Sends one full report from a new reporter. Returns the outcome. */
  const reportAs = async (host: string, full: Record<string, unknown> = stats(), key?: string): Promise<Json> => {
    const updates = [{ name: { host }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full } }]
    const { data, text } = await api.ask(REPORT, { updates }, key)
    if (!data) throw new Error(text)
    return (data as Json).updateResourceStats.results[0]
  }
  const reportNode = async (host: string, node: string, key?: string): Promise<Json> => {
    const updates = [{ name: { host, node }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full: stats() } }]
    return ((await api.ask(REPORT, { updates }, key)).data as Json).updateResourceStats.results[0]
  }
  const placeOn = async (host: string, input: Record<string, unknown> = {}, gantt: Record<string, unknown> = {}): Promise<Json> =>
    placeWith(api, { claim: { mode: 'CONFIRM' }, ...input }, { forceHosts: [host], ...gantt })

  // like Nova, which refuses to delete a resource provider in use or a compute service with allocations
  test('a host with claims is not forgotten, and the refusal names them; with force, the claims end as REVOKED in the same entry', async () => {
    await api.report({ a1: {}, a2: {} })
    const [first, second] = [await placeOn('a1'), await placeOn('a1')]
    const claims = [first, second].map(({ destinations }) => destinations[0].selected.claim.id)
    const refused = await forget('a1')
    expect(refused).toMatchObject({ __typename: 'HostHasClaims', code: 'PRECONDITION', claimCount: 2, path: ['hosts'] })
    expect(refused.claims.map(({ id }: Json) => id)).toEqual(claims)
    expect(refused.message).toContain('2 live claims are on a1')

    const shown = await forget('a1', { force: true, dryRun: true })
    expect(shown).toMatchObject({
      dryRun: true,
      unchanged: false,
      impact: { claimCount: 2, claims: claims.map((id) => ({ id, state: 'CONFIRMED' })) },
    })
    expect(await names()).toContain('a1')

    const done = await forget('a1', { force: true })
    expect(done).toMatchObject({ __typename: 'HostForgetPayload', unchanged: false, hosts: [{ name: 'a1', gone: { reason: 'scrapped' } }] })
    const ended = await ask('query ($id: ID!) { claim(id: $id) { state reason revision host { name gone { reason } } } }', {
      id: claims[0],
    })
    expect(ended.claim).toEqual({
      ...{ state: 'REVOKED', reason: 'scrapped', revision: done.fleetRevision },
      host: { name: 'a1', gone: { reason: 'scrapped' } },
    })
    expect(await names()).not.toContain('a1')
    expect(await names(true)).toContain('a1')

    // a repeated call reports that nothing changed
    const again = await forget('a1')
    expect(again).toMatchObject({ unchanged: true, impact: { claimCount: 0 }, fleetRevision: done.fleetRevision })
  })

  test('a forgotten host is in no count, list or aggregate, and its own page and history can still be read', async () => {
    await api.report({ b1: {}, b2: {} })
    await ask('mutation { aggregateCreate(input: { name: "b", hosts: ["b1", "b2"] }) { __typename } }')
    const before = (await ask('{ fleet { hostCount } }')).fleet.hostCount
    expect(await forget('b1', { dryRun: true })).toMatchObject({ impact: { aggregates: ['b'] } })
    await forget('b1')
    const seen = await ask(`{ fleet { hostCount columns(names: [STATE]) { names } } liveness { up suspect down }
      aggregates(first: 10, query: "b") { nodes { hostCount hosts(first: 10) { nodes { name } } } }
      host(name: "b1") { name status gone { reason readmitted } capacity { capacity } timeline(first: 5) { nodes { kind text reason edit { mutation } } } } }`)
    expect(seen.fleet.hostCount).toBe(before - 1)
    expect(seen.fleet.columns.names).not.toContain('b1')
    expect(seen.liveness.up + seen.liveness.suspect + seen.liveness.down).toBe(before - 1)
    expect(seen.aggregates.nodes).toEqual([{ hostCount: 1, hosts: { nodes: [{ name: 'b2' }] } }])
    expect(seen.host).toMatchObject({ gone: { reason: 'scrapped', readmitted: false } })
    expect(seen.host.capacity.map(({ capacity }: Json) => capacity)).toEqual([0, 0, 0])
    expect(seen.host.timeline.nodes).toContainEqual(
      expect.objectContaining({ kind: 'FORGOTTEN', text: 'The host was forgotten (scrapped).', reason: 'scrapped' }),
    )
    await vi.waitFor(async () => {
      const [row] = await rows("SELECT status FROM compute_node WHERE host = 'b1'")
      const [aggregate] = await rows("SELECT hosts FROM aggregate WHERE name = 'b'")
      expect([row?.status, aggregate?.hosts]).toEqual(['FORGOTTEN', ['b2']])
    }, 120_000)
    const status = 'mutation { hostSetStatus(hosts: [{ host: "b1" }], status: DISABLED, reason: "x") { __typename } }'
    expect((await ask(status)).hostSetStatus.__typename).toBe('NotFound')
    expect(await placeOn('b1')).toMatchObject({ __typename: 'NoValidHost' })
  })

  test('reports of a forgotten host are refused until it is readmitted; a full report then brings it back', async () => {
    await api.report({ c1: {} })
    await forget('c1')
    expect(await reportAs('c1')).toMatchObject({
      code: 'PRECONDITION',
      issues: [{ rule: 'report.host_forgotten', path: ['input', 'updates', '0', 'name', 'host'] }],
    })
    expect(await readmit('c1')).toMatchObject({ __typename: 'HostReadmitPayload', unchanged: false })
    expect(await readmit('c1')).toMatchObject({ unchanged: true })
    expect(await names()).not.toContain('c1')
    expect(await reportAs('c1')).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(await names()).toContain('c1')
    expect(await readmit('c1')).toMatchObject({ unchanged: true })
    expect(await readmit('never')).toMatchObject({ __typename: 'NotFound' })
  })

  // in Nova, this situation occurs after the host name of a compute node was changed
  test('Z05: a machine that reports under another name is one host after hostReplace, with its claims, idempotency key and API key', async () => {
    await api.report({ d1: {} })
    const instance = randomUUID()
    const key = randomUUID()
    const placed = await placeOn('d1', { idempotencyKey: key }, { instanceUuids: [instance] })
    const { claim } = placed.destinations[0].selected
    const agent = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['d1'] })).secret
    expect(await reportAs('d2', stats({ vcpus: 32, instances: [instance] }))).toMatchObject({ __typename: 'ResourceStatsApplied' })

    expect(await replace('d1', 'd2', { dryRun: true })).toMatchObject({
      ...{ dryRun: true, hosts: [{ name: 'd1' }], merged: [{ name: 'd2' }] },
      impact: { claimCount: 1, claims: [{ id: claim.id }] },
    })
    expect(await replace('d1', 'd2')).toMatchObject({ unchanged: false, hosts: [{ name: 'd2', formerNames: ['d1'] }] })
    expect(await replace('d1', 'd2')).toMatchObject({ unchanged: true })

    const seen = await ask(`query ($id: ID!) { claim(id: $id) { state fence host { name } } host(name: "d1") { name formerNames } }`, {
      id: claim.id,
    })
    expect(seen).toEqual({
      claim: { state: 'MATERIALISED', fence: claim.fence, host: { name: 'd2' } },
      host: { name: 'd2', formerNames: ['d1'] },
    })
    expect((await names()).filter((name) => name.startsWith('d'))).toEqual(['d2'])
    const again = await placeOn('d1', { idempotencyKey: key }, { instanceUuids: [instance] })
    expect(again).toMatchObject({ replayed: true, destinations: [{ selected: { claim: { id: claim.id } } }] })

    // the key remains bound to the old name of the host
    expect(await reportAs('d2', stats({ vcpus: 32, instances: [instance] }), agent)).toMatchObject({ __typename: 'ResourceStatsApplied' })
    const old = await reportAs('d1', stats(), agent)
    expect(old).toMatchObject({ code: 'PRECONDITION', issues: [{ rule: 'report.host_replaced' }] })
    expect(old.issues[0].message).toContain('is called "d2" now')
    expect(await reportAs('d3', stats(), agent)).toMatchObject({ code: 'FORBIDDEN' })

    expect(await replace('d2', 'd3')).toMatchObject({ hosts: [{ name: 'd3', formerNames: ['d1', 'd2'] }] })
    expect(await reportAs('d3', stats({ instances: [instance] }), agent)).toMatchObject({ __typename: 'ResourceStatsApplied' })
    await vi.waitFor(async () => {
      expect(await rows("SELECT host FROM compute_node WHERE host IN ('d1', 'd2', 'd3') AND status <> 'FORGOTTEN'")).toEqual([
        { host: 'd3' },
      ])
      expect(await rows(`SELECT host FROM claim WHERE instance_uuid = '${instance}'`)).toEqual([{ host: 'd3' }])
    }, 120_000)
  })

  test("hasOtherNodes of a node with its host's name is true only if the host has other nodes", async () => {
    await api.report({ 'shared-1': {} })
    const asked = '{ host(name: "shared-1", node: "shared-1") { hasOtherNodes } }'
    expect(await ask(asked)).toEqual({ host: { hasOtherNodes: false } })
    await reportNode('shared-1', 'n')
    expect(await ask(asked)).toEqual({ host: { hasOtherNodes: true } })
  })

  test('a name that a host has again is not listed among its earlier names', async () => {
    await api.report({ 'again-1': {} })
    for (const [from, to] of [
      ['again-1', 'again-2'],
      ['again-2', 'again-3'],
    ] as const)
      await replace(from, to)
    expect(await replace('again-3', 'again-1')).toMatchObject({ hosts: [{ name: 'again-1', formerNames: ['again-2', 'again-3'] }] })
  })

  test('a host with claims cannot be merged with another host, and a name that is in use or invalid is refused', async () => {
    await api.report({ e1: {}, e2: {} })
    await placeOn('e2')
    expect(await replace('e1', 'e2')).toMatchObject({ __typename: 'HostHasClaims', claimCount: 1, path: ['by'] })
    expect(await replace('e1', 'e1')).toMatchObject({ issues: [{ rule: 'leave.name_taken' }] })
    expect(await replace('e1', 'e\u0007')).toMatchObject({ issues: [{ rule: 'call.unplain_name', path: ['by', 'host'] }] })
    expect(await replace('e9', 'e3')).toMatchObject({ __typename: 'NotFound', key: 'e9' })
    expect(await forget('e9')).toMatchObject({ __typename: 'NotFound', path: ['hosts', '0'] })
  })

  test('a replacement by a name in another zone is refused by the dry run and by the call with the same message', async () => {
    await api.report({ g1: {} })
    await reportNode('g2', 'x')
    const create = 'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }'
    for (const [name, host] of Object.entries({ gz1: 'g1', gz2: 'g2' }))
      await ask(create, { in: { name, hosts: [host], availabilityZone: name } })
    const shown = await replace('g1', 'g2', { dryRun: true })
    expect(shown).toMatchObject({
      __typename: 'ValidationError',
      code: 'CONFLICT',
      issues: [{ rule: 'aggregate.zone_conflict', path: ['by'] }],
    })
    expect(shown.message).not.toContain('meanwhile')
    expect(await replace('g1', 'g2')).toEqual(shown)
  })

  test('if the host of a key is merged into another host, the key may report under the new name, but not for nodes that had that name before', async () => {
    const agent = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['m1'] })).secret
    await api.report({ m1: {}, m4: {} })
    await replace('m1', 'm2')
    expect(await replace('m4', 'm2')).toMatchObject({ merged: [{ name: 'm2' }] })
    await replace('m2', 'm3')
    expect(await reportAs('m3', stats(), agent)).toMatchObject({ __typename: 'ResourceStatsApplied' })

    const own = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['n1'], maxNodes: 2 })).secret
    await reportNode('n1', 'a', own)
    await reportNode('n1', 'c', own)
    await reportNode('n2', 'b')
    await ask(REPLACE, { host: { host: 'n1', node: 'a' }, by: { host: 'n2', node: 'a' } })
    expect(await reportNode('n2', 'a', own)).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(await reportNode('n2', 'b', own)).toMatchObject({ code: 'FORBIDDEN' })
    // n4 has replaced the last nodes of n1, so the key may report every node of n4
    await ask(REPLACE, { host: { host: 'n1' }, by: { host: 'n4' } })
    for (const _ of [1, 2]) expect(await reportNode('n4', 'd', own)).toMatchObject({ __typename: 'ResourceStatsApplied' })
  })

  test('a host is not forgotten if it has more or fewer claims than the dry run showed', async () => {
    await api.report({ x1: {} })
    await placeOn('x1')
    const { impact } = await forget('x1', { force: true, dryRun: true })
    await placeOn('x1')
    const refused = await forget('x1', { force: true, expectedClaims: impact.claimCount })
    expect(refused).toMatchObject({ __typename: 'HostHasClaims', claimCount: 2, path: ['expectedClaims'] })
    expect(refused.message).toContain('2 live claims are on x1. 1 were expected')
    expect(await names()).toContain('x1')
    expect(await forget('x1', { force: true, expectedClaims: 2 })).toMatchObject({ __typename: 'HostForgetPayload' })
  })

  test('forgetting a host reads only the claims that the entry changed, not all ended claims', async () => {
    await api.report({ z1: {}, z2: {} })
    const ids = [await placeOn('z1'), await placeOn('z1')].map(({ destinations }) => destinations[0].selected.claim.id)
    const { claims } = api.service.replica.fleet.ledger
    const walks = [vi.spyOn(claims, 'values'), vi.spyOn(claims, 'keys')]
    const ended = await forget('z1', { force: true })
    const empty = await forget('z2')
    const walked = walks.flatMap((walk) => walk.mock.calls)
    for (const walk of walks) walk.mockRestore()
    expect(ended.impact).toMatchObject({ claimCount: 2, claims: ids.map((id) => ({ id, state: 'REVOKED' })) })
    expect(empty.impact).toMatchObject({ claimCount: 0, claims: [] })
    expect(walked).toEqual([])
  })

  describe('a caller that uses the old name of a replaced host', () => {
    const on = ({ destinations }: Json): string => destinations[0].selected.host.name
    beforeAll(async () => {
      await api.report({ o1: {}, o2: {} })
      await replace('o1', 'p1')
    })

    test('a request can force, request and ignore a replaced host by its old name', async () => {
      expect(on(await placeOn('o1'))).toBe('p1')
      expect(on(await placeWith(api, {}, { requestedDestination: { host: 'o1' } }))).toBe('p1')
      expect(on(await placeWith(api, {}, { requestedDestination: { host: 'o1', node: 'o1' } }))).toBe('p1')
      expect(on(await placeWith(api, {}, { forceNodes: ['o1'] }))).toBe('p1')
      const both = await placeWith(api, {}, { forceHosts: ['o1', 'o2'], ignoreHosts: ['o1'] })
      expect(on(both)).toBe('o2')
    })

    test('a caller can repeat its call with the key, and use an alternate of a decision from before the replacement', async () => {
      await api.report({ q1: {}, q2: {} })
      const input = { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' } }
      const gantt = { forceHosts: ['q1', 'q2'], instanceUuids: [randomUUID()] }
      const first = await placeWith(api, input, gantt)
      const [{ selected, alternates }] = first.destinations
      const [other] = alternates
      await replace(other.host.name, `${other.host.name}-new`)
      expect(await placeWith(api, input, gantt)).toMatchObject({ replayed: true, destinations: [{ selected: { claim: selected.claim } }] })
      const create = `mutation ($in: ClaimCreateInput!) { claimCreate(input: $in) { __typename
        ... on SelectDestinationsPayload { destinations { selected { host { name } } } } ... on UserError { message } } }`
      for (const host of [other.host.name, `${other.host.name}-new`]) {
        const call = { idempotencyKey: randomUUID(), decisionId: first.decision.id, host: { host }, instanceUuid: gantt.instanceUuids[0] }
        const { claimCreate } = await ask(create, { in: { ...call, mode: 'RESERVE' } })
        expect(claimCreate, host).toMatchObject({ destinations: [{ selected: { host: { name: `${other.host.name}-new` } } }] })
      }
    })

    test('an operator can set the status of a replaced host by its old name, and evacuate it', async () => {
      const set = (status: string) =>
        ask(
          `mutation { hostSetStatus(hosts: [{ host: "o1" }], status: ${status}, reason: "x") { __typename ... on HostSetStatusPayload { hosts { name } } } }`,
        )
      for (const status of ['MAINTENANCE', 'ENABLED']) expect((await set(status)).hostSetStatus).toMatchObject({ hosts: [{ name: 'p1' }] })
      const { hostEvacuate } =
        await ask(`mutation { hostEvacuate(input: { host: { host: "o1", node: "o1" }, idempotencyKey: "x" }, dryRun: true) {
        ... on HostEvacuatePreview { hosts { name } } } }`)
      expect(hostEvacuate).toEqual({ hosts: [{ name: 'p1' }] })
    })

    test('capacity, simulation, aggregates and searches of hosts and claims accept the old name', async () => {
      const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 1_024 }, forceHosts: ['o1'] } }
      const counted = await ask('query ($in: CapacityInput!) { capacity(input: $in) { fits } }', { in: { spec } })
      expect(counted.capacity.fits).toBeGreaterThan(0)
      await ask('mutation { aggregateCreate(input: { name: "by old name", hosts: ["o1"] }) { __typename } }')
      const found =
        await ask(`{ hosts(first: 5, query: "host:o1") { nodes { name } } byFilter: hosts(first: 5, filter: { name: { eq: "o1" } }) { nodes { name } }
        without: hosts(first: 100, query: "-host:o1") { nodes { name } }
        claims(first: 1, query: "host:o1") { totalCount } aggregates(first: 1, query: "\\"by old name\\"") { nodes { hosts(first: 5) { nodes { name } } } } }`)
      expect(found.hosts.nodes).toEqual([{ name: 'p1' }])
      expect(found.byFilter.nodes).toEqual([{ name: 'p1' }])
      expect(found.without.nodes).not.toContainEqual({ name: 'p1' })
      expect(found.claims.totalCount).toBeGreaterThan(0)
      expect(found.aggregates.nodes).toEqual([{ hosts: { nodes: [{ name: 'p1' }] } }])
    })
  })

  test.each([
    ['a slash', 'sl/ash', undefined],
    ['a blank before it', ' blank', undefined],
    ['a blank after it', 'blank ', undefined],
    ['a blank around its node', 'blank', ' n'],
  ])('a new host with %s in its name is refused, by a report and by a replacement', async (_, host, node) => {
    await api.report({ y1: {} })
    const updates = [{ name: { host, node }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full: stats() } }]
    const { updateResourceStats } = await ask(REPORT, { updates })
    expect(updateResourceStats.results).toMatchObject([{ __typename: 'ValidationError', issues: [{ rule: 'call.unplain_name' }] }])
    const name = { host: 'y1', node: node === undefined ? undefined : 'y1' }
    expect((await ask(REPLACE, { host: name, by: { host, node } })).hostReplace).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ rule: 'call.unplain_name' }],
    })
  })

  test('a forgotten node is not counted towards the node limit of an API key', async () => {
    const agent = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['f1'], maxNodes: 2 })).secret
    const node = (name: string) => reportNode('f1', name, agent)
    for (const name of ['f1', 'n2']) expect(await node(name)).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(await node('n3')).toMatchObject({ code: 'FORBIDDEN' })
    await ask(FORGET, { hosts: [{ host: 'f1', node: 'f1' }] })
    expect(await node('n3')).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(await node('f1')).toMatchObject({ code: 'PRECONDITION' })
  })

  test('no key can add a node under the name of a host that left with all its nodes', async () => {
    const agent = (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts: ['vk', 'bn'] })).secret
    await api.report({ vk: {}, bn: {} })
    await replace('vk', 'vn')
    const taken = await reportNode('vk', 'n8', agent)
    expect(taken).toMatchObject({ code: 'PRECONDITION', issues: [{ rule: 'report.host_replaced' }] })
    expect(taken.issues[0].message).toContain('is called "vn" now')
    expect((await placeOn('vk')).destinations[0].selected.host.name).toBe('vn')
    await forget('bn')
    expect(await reportNode('bn', 'm1', agent)).toMatchObject({ code: 'PRECONDITION', issues: [{ rule: 'report.host_forgotten' }] })
    for (const host of ['vk', 'bn']) {
      await readmit(host)
      expect(await reportNode(host, 'n8', agent), host).toMatchObject({ __typename: 'ResourceStatsApplied' })
    }
  })

  test('the audit has a row for each change of a host', async () => {
    const { nodes } = (await ask('{ auditLog(first: 100, query: "mutation:hostForget") { nodes { mutation result target } } }')).auditLog
    expect(nodes).toContainEqual({ mutation: 'hostForget', result: 'HostHasClaims', target: 'a1' })
    expect(nodes).toContainEqual({ mutation: 'hostForget', result: 'HostForgetPayload', target: 'a1' })
  })

  /** Reads the tables of the service directly. */
  async function rows(sql: string): Promise<Record<string, Json>[]> {
    const client = new pg.Client({ ...api.connection })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
})
