import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ big: {}, small: { memoryMb: 2_048 }, middle: { memoryMb: 32_768 } })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const place = (input: Record<string, unknown>, gantt?: Record<string, unknown>) => placeWith(api, input, gantt)
const ask = (query: string, variables?: Record<string, unknown>) => dataOf(api, query, variables)

describe('calls of operators', () => {
  const RESULT = `{ __typename ... on AggregatePayload { dryRun aggregate { uuid version availabilityZone metadata { key value } hosts { nodes { name availabilityZone } } } impact { hostsAffected azChanges } }
    ... on VersionConflict { expected actual current { version } } ... on ValidationError { issues { path rule } } ... on UserError { code path } }`
  const CREATE = `mutation ($in: AggregateCreateInput!, $dry: Boolean) { aggregateCreate(input: $in, dryRun: $dry) ${RESULT} }`
  const UPDATE = `mutation ($u: UUID!, $v: Int!, $in: AggregateUpdateInput!) { aggregateUpdate(uuid: $u, ifVersion: $v, input: $in) ${RESULT} }`
  const DELETE = `mutation ($u: UUID!, $v: Int!) { aggregateDelete(uuid: $u, ifVersion: $v) ${RESULT} }`

  test('an operator creates an aggregate, edits the version that was read, and removes the aggregate', async () => {
    const input = { name: 'rack-1', availabilityZone: 'az1', hosts: ['big'] }
    const dry = (await ask(CREATE, { in: input, dry: true })).aggregateCreate
    expect(dry).toMatchObject({ dryRun: true, impact: { hostsAffected: 1, azChanges: 1 } })
    expect((await ask('{ aggregates { totalCount } }')).aggregates.totalCount).toBe(0)
    const { aggregate } = (await ask(CREATE, { in: input })).aggregateCreate
    expect(aggregate).toMatchObject({ version: 1, availabilityZone: 'az1', hosts: { nodes: [{ name: 'big', availabilityZone: 'az1' }] } })
    expect((await ask(CREATE, { in: { name: 'rack-1' } })).aggregateCreate).toMatchObject({
      __typename: 'ValidationError',
      code: 'CONFLICT',
      issues: [{ rule: 'aggregate.name_taken', path: ['input', 'name'] }],
    })
    expect((await ask(CREATE, { in: { name: 'x', hosts: ['ghost'] } })).aggregateCreate.issues).toEqual([
      { rule: 'host.unknown', path: ['input', 'hosts', '0'] },
    ])
    const edit = { u: aggregate.uuid, v: 1, in: { addHosts: ['middle'], setMetadata: [{ key: 'ssd', value: 'true' }] } }
    expect((await ask(UPDATE, edit)).aggregateUpdate.aggregate).toMatchObject({
      version: 2,
      hosts: { nodes: [{ name: 'big' }, { name: 'middle' }] },
    })
    expect((await ask(UPDATE, edit)).aggregateUpdate).toMatchObject({
      __typename: 'VersionConflict',
      expected: 1,
      actual: 2,
      current: { version: 2 },
    })
    expect((await ask(DELETE, { u: aggregate.uuid, v: 2 })).aggregateDelete).toMatchObject({ aggregate: null, dryRun: false })
    expect((await ask(DELETE, { u: aggregate.uuid, v: 2 })).aggregateDelete).toMatchObject({ __typename: 'NotFound' })
  })

  test('a disabled host gets no instance, and whyNot returns the operator’s reason', async () => {
    const SET = `mutation ($h: [ResourceNameInput!]!, $s: HostStatus!, $dry: Boolean) { hostSetStatus(hosts: $h, status: $s, reason: "fan broken", dryRun: $dry) {
      __typename ... on HostSetStatusPayload { dryRun hosts { status } } ... on UserError { code path } } }`
    expect((await ask(SET, { h: [{ host: 'big' }], s: 'DISABLED', dry: true })).hostSetStatus).toMatchObject({
      dryRun: true,
      hosts: [{ status: 'ENABLED' }],
    })
    expect((await ask(SET, { h: [{ host: 'big' }], s: 'DISABLED' })).hostSetStatus).toMatchObject({ hosts: [{ status: 'DISABLED' }] })
    expect((await ask(SET, { h: [{ host: 'ghost' }], s: 'DISABLED' })).hostSetStatus).toMatchObject({
      __typename: 'NotFound',
      path: ['hosts', '0'],
    })
    const placed = await place({})
    expect(placed.destinations[0].selected.host.name).toBe('middle')
    const { whyNot } = await ask('query ($d: ID!) { whyNot(input: { subject: { decisionId: $d }, host: { host: "big" } }) { headline } }', {
      d: placed.decision.id,
    })
    expect(whyNot.headline).toBe('big was refused by ComputeFilter. The host is DISABLED: fan broken.')
    await ask(SET, { h: [{ host: 'big' }], s: 'ENABLED' })
  })

  test('the answer to an edit shows the host after the edit, even if a query copied the fleet before the edit', async () => {
    const SIMULATE = 'query ($in: SimulateInput!) { simulate(input: $in) { placed } }'
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } }
    const copied = () => ask(SIMULATE, { in: { requests: [{ spec }], overlay: { removeHosts: ['small'] } } })
    const SET = `mutation ($s: HostStatus!) { hostSetStatus(hosts: [{ host: "big" }], status: $s, reason: "later") {
      ... on HostSetStatusPayload { hosts { status statusReason revision } } } }`
    await copied()
    const { hosts } = (await ask(SET, { s: 'DISABLED' })).hostSetStatus
    expect(hosts).toMatchObject([{ status: 'DISABLED', statusReason: 'later' }])
    expect((await ask('{ host(name: "big") { status statusReason revision } }')).host).toEqual(hosts[0])
    await copied()
    await ask(SET, { s: 'ENABLED' })
  })

  test('a profile version is written, used by a call that names it, and activated', async () => {
    const CREATE_PROFILE = `mutation ($in: ProfileVersionInput!) { profileVersionCreate(profile: "packed", input: $in) { __typename
      ... on ProfilePayload { version { id number normalisation assignment } profile { active { number } } } ... on ValidationError { issues { path rule } } } }`
    const input = {
      note: 'packs',
      filters: [{ name: 'ComputeFilter' }],
      weighers: [{ name: 'RAMWeigher', multiplier: -1 }],
      normalisation: 'MINMAX',
      assignment: { numa: { rule: 'tightest' } },
    }
    expect(
      (await ask(CREATE_PROFILE, { in: { ...input, weighers: [{ name: 'NoSuch', multiplier: 1 }] } })).profileVersionCreate.issues,
    ).toEqual([{ path: ['input', 'weighers', '0', 'name'], rule: 'profile.invalid' }])
    expect((await ask(CREATE_PROFILE, { in: input })).profileVersionCreate).toMatchObject({
      version: { number: 1 },
      profile: { active: { number: 1 } },
    })
    const second = (await ask(CREATE_PROFILE, { in: input })).profileVersionCreate
    expect(second).toMatchObject({ version: { number: 2 }, profile: { active: { number: 1 } } })
    const { profileActivate } = await ask(
      'mutation ($v: ID!) { profileActivate(version: $v) { ... on ProfilePayload { profile { active { number } } } } }',
      { v: second.version.id },
    )
    expect(profileActivate.profile.active.number).toBe(2)
    expect((await place({ profile: 'packed' }, { flavor: { vcpus: 1, memoryMb: 512 } })).destinations[0].selected.host.name).toBe('small')
  })
})

describe('reports of hosts', () => {
  const UPDATE = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { appliedCount fleetRevision results { __typename
    ... on ResourceStatsApplied { lastSequence unchanged host { name node namespaces { namespace version document } } claimsMaterialised { state } }
    ... on ResourceStatsStale { lastSequence } ... on ResourceStatsNeedFull { lastSequence } ... on ValidationError { issues { path } } ... on UserError { code } } } }`
  const incarnation = randomUUID()
  const full = { vcpus: 4, vcpusUsed: 0, memoryMb: 1_024, memoryMbUsed: 0, localGb: 10, localGbUsed: 0 }
  const one = (sequence: number, report: Record<string, unknown>, name: Record<string, unknown> = { host: 'rep', node: 'n1' }) => ({
    name,
    reporter: { incarnation, sequence },
    report,
  })
  const send = async (...updates: unknown[]) => (await ask(UPDATE, { u: updates })).updateResourceStats

  test('each report of a call has its own result, and a report without new content writes nothing', async () => {
    expect((await send(one(1, { delta: { baseSequence: 0, vcpusUsed: 1 } }))).results).toMatchObject([
      { __typename: 'ResourceStatsNeedFull', lastSequence: null },
    ])
    const first = await send(one(1, { full }), one(1, { full: { ...full, vcpus: -1 } }, { host: 'bad' }))
    expect(first).toMatchObject({
      appliedCount: 1,
      results: [{ lastSequence: 1, unchanged: false, host: { name: 'rep', node: 'n1' } }, { __typename: 'ValidationError' }],
    })
    expect(await send(one(2, { full }))).toMatchObject({
      fleetRevision: first.fleetRevision,
      results: [{ unchanged: true, lastSequence: 1 }],
    })
    expect((await send(one(3, { delta: { baseSequence: 1, vcpusUsed: 2 } }))).results).toMatchObject([
      { lastSequence: 3, unchanged: false },
    ])
    expect((await send(one(3, { full }))).results).toMatchObject([{ __typename: 'ResourceStatsStale', lastSequence: 3 }])
    expect((await send(one(5, { delta: { baseSequence: 4 } }))).results).toMatchObject([
      { __typename: 'ResourceStatsNeedFull', lastSequence: 3 },
    ])
    const namespace = { namespace: 'attestation', version: '1', document: { pools: [{ name: 'a' }] } }
    expect((await send(one(1, { namespace }))).results).toMatchObject([{ host: { namespaces: [namespace] } }])
  })

  test('a claim becomes materialised when its host lists the instance', async () => {
    const uuid = randomUUID()
    await place({ claim: { mode: 'CONFIRM' } }, { instanceUuids: [uuid], forceHosts: ['rep'], flavor: { vcpus: 1, memoryMb: 256 } })
    const { results } = await send(one(10, { full: { ...full, vcpusUsed: 1, memoryMbUsed: 256, instances: [uuid] } }))
    expect(results).toMatchObject([{ claimsMaterialised: [{ state: 'MATERIALISED' }] }])
  })
})

describe('lists of objects', () => {
  test('hosts are listed in pages, filtered and ordered', async () => {
    const LIST = `query ($a: String, $q: String, $o: [HostOrder!]) { hosts(first: 2, after: $a, query: $q, orderBy: $o) { totalCount asOf nodes { name } pageInfo { hasNextPage hasPreviousPage endCursor } } }`
    const { hosts: first } = await ask(LIST)
    expect(first.nodes).toEqual([{ name: 'big' }, { name: 'small' }])
    const { hosts: second } = await ask(LIST, { a: first.pageInfo.endCursor })
    expect(second.nodes[0]).toEqual({ name: 'middle' })
    expect((await ask(LIST, { q: 'IG status:enabled' })).hosts.nodes).toEqual([{ name: 'big' }])
    expect((await ask(LIST, { o: [{ field: 'NAME' }] })).hosts.nodes).toEqual([{ name: 'big' }, { name: 'middle' }])
  })

  test('aggregates are listed in the requested order on every page, and a cursor is valid only for its order', async () => {
    const CREATE = `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { aggregate { uuid } } ... on UserError { message } } }`
    const shapes: readonly { name: string; availabilityZone?: string; hosts?: string[] }[] = [
      { name: 'c-two', hosts: ['big', 'small'] },
      { name: 'a-none' },
      { name: 'E-zone', availabilityZone: 'az-order', hosts: ['middle'] },
      { name: 'b-one', hosts: ['small'] },
      { name: 'd-none' },
    ]
    const uuids: string[] = []
    for (const shape of shapes) uuids.push((await ask(CREATE, { in: shape })).aggregateCreate.aggregate.uuid)
    const LIST = `query ($n: Int, $a: String, $o: AggregateOrder) { aggregates(first: $n, after: $a, orderBy: $o) {
      nodes { name availabilityZone version updatedAt hosts { totalCount } } pageInfo { hasNextPage endCursor } } }`
    const readers: Readonly<Record<string, (node: Json) => string | number>> = {
      NAME: ({ name }) => name,
      ZONE: ({ availabilityZone }) => availabilityZone ?? '',
      HOSTS: ({ hosts }) => hosts.totalCount,
      VERSION: ({ version }) => version,
      UPDATED_AT: ({ updatedAt }) => updatedAt,
    }
    const { nodes: byName } = (await ask(LIST)).aggregates
    expect(byName.map(({ name }: Json) => name)).toEqual(['E-zone', 'a-none', 'b-one', 'c-two', 'd-none'])
    for (const [field, read] of Object.entries(readers))
      for (const direction of ['ASC', 'DESC']) {
        const sign = direction === 'ASC' ? 1 : -1
        const compare = (a: Json, b: Json): number => (read(a) < read(b) ? -sign : read(a) > read(b) ? sign : 0)
        const wanted = byName.toSorted(compare).map(({ name }: Json) => name)
        for (const n of [1, 2, 3, 5, 6]) {
          const found: string[] = []
          let a: string | null = null
          do {
            const { nodes, pageInfo }: Json = (await ask(LIST, { n, a, o: { field, direction } })).aggregates
            found.push(...nodes.map(({ name }: Json) => name))
            a = pageInfo.hasNextPage ? pageInfo.endCursor : null
          } while (a !== null)
          expect({ field, direction, n, found }).toEqual({ field, direction, n, found: wanted })
        }
      }
    const { pageInfo } = (await ask(LIST, { n: 2, o: { field: 'HOSTS', direction: 'DESC' } })).aggregates
    for (const o of [
      { field: 'HOSTS', direction: 'ASC' },
      { field: 'VERSION', direction: 'DESC' },
    ]) {
      const answer = await api.ask(LIST, { n: 2, a: pageInfo.endCursor, o })
      expect(answer.errors[0]?.message).toContain('a cursor of this list, with the same filter and order')
    }
    for (const u of uuids) await ask('mutation ($u: UUID!) { aggregateDelete(uuid: $u, ifVersion: 1) { __typename } }', { u })
    expect((await ask('{ aggregates { totalCount } }')).aggregates.totalCount).toBe(0)
  })

  test('decisions, requests, claims and profiles are listed', async () => {
    const { decisions, requestSpecs, claims, profiles, viewer } = await ask(`{
      decisions(first: 3) { totalCount nodes { id outcome at } pageInfo { endCursor hasNextPage } } requestSpecs(first: 1) { nodes { id digest document } }
      claims(first: 1) { totalCount nodes { host { name } decision { outcome } } } profiles { name active { number } } viewer { scopes actor { account } } }`)
    expect(decisions.nodes).toHaveLength(3)
    const next = await ask('query ($a: String) { decisions(first: 3, after: $a) { nodes { id } } }', { a: decisions.pageInfo.endCursor })
    expect(next.decisions.nodes.map(({ id }: Json) => id)).not.toContain(decisions.nodes[0].id)
    expect(claims.nodes[0].decision.outcome).toBe('PLACED')
    expect(profiles.map(({ name }: Json) => name)).toContain('best-fit')
    expect(viewer.scopes).toContain('ADMIN')
    const { node, nodes } = await ask(
      'query ($id: ID!, $ids: [ID!]!) { node(id: $id) { __typename id } nodes(ids: $ids) { __typename } }',
      {
        id: decisions.nodes[0].id,
        ids: [requestSpecs.nodes[0].id],
      },
    )
    expect([node.__typename, nodes[0].__typename]).toEqual(['Decision', 'RequestSpec'])
  })

  test('claims are found by a line of the filter grammar, and an invalid line is reported', async () => {
    const { id } = (await place({ claim: { mode: 'RESERVE', ttl: 'PT10M' } })).destinations[0].selected.claim
    const LIST =
      'query ($q: String, $s: [ClaimState!]) { claims(first: 500, query: $q, states: $s) { totalCount nodes { id state host { name } } } }'
    const idsOf = async (q: string, s?: readonly string[]): Promise<string[]> =>
      (await ask(LIST, { q, s })).claims.nodes.map((claim: Json) => claim.id)
    const { claims } = await ask(LIST)
    const own = claims.nodes.find((claim: Json) => claim.id === id)
    const asked = ['state:reserved left<=10m left>5m', `host:${own.host.name} age<1h`, 'account:admin -state:CONFIRMED']
    for (const q of [...asked, 'at>=2020-01-01 ends>2020-01-01']) {
      const found = await idsOf(q)
      expect([q, found.includes(id)]).toEqual([q, true])
    }
    const others = [
      'state:CONFIRMED',
      'age>=1h',
      'left>11m',
      'at<2020-01-01',
      'ends<=2020-01-01',
      'account:nobody',
      'no-such-host',
      'ended>=0',
    ]
    for (const q of others) expect(await idsOf(q)).not.toContain(id)
    expect(await idsOf('state:RESERVED', ['CONFIRMED'])).toEqual([])
    await ask('mutation ($ids: [ID!]!) { claimRevoke(ids: $ids, reason: "it ends") { __typename } }', { ids: [id] })
    expect([await idsOf('ended<=1h'), await idsOf('ended>1h')]).toEqual([expect.arrayContaining([id]), expect.not.arrayContaining([id])])
    expect(codeOf(await api.ask(LIST, { q: 'colour:red' }))).toBe(codeOf(await api.ask('{ hosts(query: "colour:red") { totalCount } }')))
  })
})
