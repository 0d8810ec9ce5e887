import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
let tenant: string
let other: string
let agent: string

beforeAll(async () => {
  api = await startTestService()
  await api.report({ 'secret-host-1': {}, 'secret-host-2': {} })
  const make = async (key: Partial<Parameters<typeof api.service.keys.create>[0]>) =>
    (await api.service.keys.create({ name: 'k', account: 'a', scopes: ['READ', 'SCHEDULE', 'CLAIM'], ...key })).secret
  tenant = await make({ account: 'tenant', project: 'p1' })
  other = await make({ account: 'other', project: 'p2' })
  agent = await make({ account: 'agents', scopes: ['REPORT'], hosts: ['secret-host-1'] })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name } claim { id fence } } } }
  ... on NoValidHost { message decision { id } }
  ... on ValidationError { code issues { path rule } } } }`

/** The value of a root field. If the answer has no data, throws an error with the whole answer. */
const rootOf = ({ data, text }: Answer, name: string): Json => {
  if (!data) throw new Error(text)
  return data[name]
}

const place = async (gantt: Record<string, unknown>, input: Record<string, unknown> = {}, key = tenant): Promise<Json> => {
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, projectId: 'p1', ...gantt } }
  return rootOf(await api.ask(PLACE, { in: { idempotencyKey: randomUUID(), spec, ...input } }, key), 'selectDestinations')
}

test('a key bound to a project can place for it, and confirm and release its claims', async () => {
  const placed = await place({})
  expect(placed.__typename).toBe('SelectDestinationsPayload')
  const { claim } = placed.destinations[0].selected
  const confirm = 'mutation ($claims: [ClaimRef!]!) { claimConfirm(claims: $claims) { __typename } }'
  // a key of a different project gets the answer that the claim does not exist
  const lost = await api.ask(confirm, { claims: [claim] }, other)
  expect(rootOf(lost, 'claimConfirm')).toEqual([{ __typename: 'NotFound' }])
  const own = await api.ask(confirm, { claims: [{ id: randomUUID(), fence: 1 }, claim] }, tenant)
  expect(rootOf(own, 'claimConfirm')).toEqual([{ __typename: 'NotFound' }, { __typename: 'ClaimPayload' }])
})

const spec = (key: string) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key, value: '>= 1' }] } })
const path = (key: string) => ['flavor', 'extraSpecs', key]

test.each<[string, Record<string, unknown>, Record<string, unknown>, readonly string[]]>([
  ['a project other than that of the key', { projectId: 'p2' }, {}, ['projectId']],
  ['no project', { projectId: null }, {}, ['projectId']],
  ['forced hosts', { forceHosts: ['secret-host-1'] }, {}, ['forceHosts']],
  ['forced nodes', { forceNodes: ['secret-host-1'] }, {}, ['forceNodes']],
  ['ignored hosts', { ignoreHosts: ['secret-host-1'] }, {}, ['ignoreHosts']],
  ['a destination', { requestedDestination: { host: 'secret-host-1' } }, {}, ['requestedDestination']],
  ['aggregates as a destination', { requestedDestination: { aggregates: [randomUUID()] } }, {}, ['requestedDestination']],
  ['aggregates of a resource group', { requestedResources: [{ amounts: [], memberOf: [randomUUID()] }] }, {}, ['requestedResources']],
  ['the name of a host as a capability', spec('capabilities:hypervisor_hostname'), {}, path('capabilities:hypervisor_hostname')],
  ['the free capacity of hosts as a capability', spec('capabilities:free_ram_mb'), {}, path('capabilities:free_ram_mb')],
  ['the free capacity of hosts by a name without a scope', spec('free_ram_mb'), {}, path('free_ram_mb')],
  ['the instances of other projects', spec('num_proj_p2'), {}, path('num_proj_p2')],
  ['hints', { schedulerHints: [{ key: 'same_host', values: [randomUUID()] }] }, {}, ['schedulerHints']],
  [
    'hosts of a group',
    { instanceGroup: { uuid: randomUUID(), policy: 'AFFINITY', hosts: ['secret-host-1'] } },
    {},
    ['instanceGroup', 'hosts'],
  ],
])('a key bound to a project may not place a request with %s', async (_name, gantt, input, path) => {
  expect(await place(gantt, input)).toEqual({
    __typename: 'ValidationError',
    code: 'FORBIDDEN',
    issues: [{ path: ['input', 'spec', 'gantt', ...path], rule: 'key.bound' }],
  })
})

test('a key bound to a project may not use Nova’s forms, because these can name hosts', async () => {
  const instance_properties = { project_id: 'p1', vcpus: 1, memory_mb: 64, root_gb: 1, ephemeral_gb: 0 }
  const instance_type = { name: 'small', flavorid: '1', vcpus: 1, memory_mb: 64, root_gb: 1, ephemeral_gb: 0, swap: 0, extra_specs: {} }
  const legacy = { request_spec: { num_instances: 1, instance_properties, instance_type, image: {} }, filter_properties: {} }
  expect(await place({}, { spec: { legacy } })).toEqual({
    __typename: 'ValidationError',
    code: 'FORBIDDEN',
    issues: [{ path: ['input', 'spec', 'legacy', 'nova'], rule: 'key.bound' }],
  })
})

test('a key bound to a project may use capabilities whose values many hosts share, but may not name a version of a profile', async () => {
  const general = { key: 'capabilities:hypervisor_type', value: 'none-such' }
  expect(await place({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [general] } }, { profile: 'nova-compat' })).toMatchObject({
    __typename: 'NoValidHost',
  })
  expect((await place({}, { profile: 'default@0' })).issues).toEqual([{ path: ['input', 'profile'], rule: 'key.bound' }])
  const { errors } = await api.ask(
    '{ tenantExplanation(spec: { gantt: { projectId: "p1", flavor: { vcpus: 1, memoryMb: 1 } } }, profile: "default@0") { headline } }',
    {},
    tenant,
  )
  expect(errors[0]?.message).toBe('profile is "default@0"; it must be a name without a version for a key bound to a project')
})

test('a refused call and its decision name the same instance as not placed, and a query does not return how many would be placed', async () => {
  const gantt = { projectId: 'p1', flavor: { vcpus: 0, memoryMb: 20_000, rootGb: 0 }, numInstances: 500 }
  const refused = await place(gantt)
  const found = /^No host was found for instance (\d+) of 500\.$/.exec(refused.message)?.[1]
  expect(Number(found)).toBeGreaterThan(1)
  const selection = `headline placedCount demands { kind state }`
  const { data, text } = await api.ask(
    `query ($id: ID!, $spec: SpecInput!) { decision(id: $id) { tenantExplanation { ${selection} } } tenantExplanation(spec: $spec) { ${selection} } }`,
    { id: refused.decision.id, spec: { gantt } },
    tenant,
  )
  if (!data) throw new Error(text)
  const { decision, tenantExplanation }: Json = data
  const demands = [{ kind: 'MEMORY', state: 'IN_THE_WAY' }]
  expect(decision.tenantExplanation).toEqual({
    headline: `No host was found for instance ${found} of 500. The cause: 20000 MiB.`,
    placedCount: Number(found) - 1,
    demands,
  })
  expect(tenantExplanation).toEqual({
    headline: 'No host was found for one of the 500 instances. The cause: 20000 MiB.',
    placedCount: 0,
    demands,
  })
  const { explainPlacement } = await dataOf(
    api,
    'query ($spec: SpecInput!) { explainPlacement(input: { subject: { spec: $spec } }) { instanceIndex headline } }',
    { spec: { gantt } },
  )
  expect(explainPlacement).toEqual({
    instanceIndex: Number(found) - 1,
    headline: expect.stringMatching(/ of the 500 instances would find a host\. Of 2 hosts none takes one more/),
  })
})

test('a key bound to a project can request no placement without a claim, no probe and no move', async () => {
  expect((await place({}, { claim: { mode: 'NONE' } })).issues).toEqual([{ path: ['input', 'claim', 'mode'], rule: 'key.bound' }])
  for (const intent of ['PROBE', 'LIVE_MIGRATE', 'EVACUATE', 'REBUILD', 'RESIZE', 'COLD_MIGRATE'])
    expect((await place({}, { intent })).issues).toEqual([{ path: ['input', 'intent'], rule: 'key.bound' }])
})

const EXPLANATION = 'outcome instanceCount placedCount headline isInYourHands demands { kind asked state text }'

test('a key bound to a project reads only decisions about its requests, and only the fields open to projects', async () => {
  const own = await place({})
  const foreign = await placeWith(api, {}, { projectId: 'p2' })
  const refused = await placeWith(api, {}, { projectId: 'p1', flavor: { vcpus: 1, memoryMb: 999_999, rootGb: 1 } })
  const fields = `id outcome attempt tenantExplanation { ${EXPLANATION} }`
  const one = (id: string) => api.ask(`{ decision(id: "${id}") { ${fields} } }`, {}, tenant)
  expect((await one(own.decision.id)).data).toMatchObject({ decision: { tenantExplanation: { headline: 'The instance was placed.' } } })
  expect((await one(foreign.decision.id)).data).toEqual({ decision: null })
  expect(rootOf(await one(refused.decision.id), 'decision').tenantExplanation).toEqual({
    outcome: 'NO_VALID_HOST',
    instanceCount: 1,
    placedCount: 0,
    headline: 'No host was found for the instance. The cause: 999999 MiB.',
    isInYourHands: true,
    demands: [
      {
        kind: 'MEMORY',
        asked: '999999 MiB',
        state: 'IN_THE_WAY',
        text: 'No host has that much memory free. Choose a flavor with less memory, or ask again later.',
      },
      { kind: 'VCPUS', asked: '1 vCPU', state: 'NOT_TOLD', text: 'It is not shown whether this requirement is met.' },
      { kind: 'DISK', asked: '1 GiB', state: 'NOT_TOLD', text: 'It is not shown whether this requirement is met.' },
    ],
  })
  const list = await api.ask(`{ decisions { totalCount nodes { ${fields} } } }`, {}, tenant)
  const ids: readonly string[] = rootOf(list, 'decisions').nodes.map(({ id }: { id: string }) => id)
  expect(ids).toEqual(expect.arrayContaining([own.decision.id, refused.decision.id]))
  expect(ids).not.toContain(foreign.decision.id)
  expect(list.text).not.toMatch(/secret-host|65536|p2/)
  // a search by host would reveal the host of an instance
  for (const args of ['query: "host:secret-host-1"', 'query: "reason:memory.short"', 'filter: { host: { eq: "secret-host-1" } }'])
    expect((await api.ask(`{ decisions(${args}) { totalCount } }`, {}, tenant)).errors[0]?.extensions.rule).toBe('key.bound')
})

test('if a request of the project named hosts, the states of its demands are not shown', async () => {
  const { decision } = await placeWith(api, {}, { projectId: 'p1', flavor: { vcpus: 1, memoryMb: 999_999 }, forceHosts: ['secret-host-1'] })
  const answer = await api.ask(`{ decision(id: "${decision.id}") { tenantExplanation { ${EXPLANATION} } } }`, {}, tenant)
  expect(rootOf(answer, 'decision').tenantExplanation).toMatchObject({
    headline: 'No host was found for the instance. The cause is not shown; operators can see it with the id of the decision.',
    isInYourHands: null,
    demands: [{ state: 'NOT_TOLD' }, { state: 'NOT_TOLD' }],
  })
  expect(answer.text).not.toContain('secret-host')
})

test('a key bound to a project can query how a request of its own project would be placed, but no request of another project', async () => {
  const ask = (gantt: Record<string, unknown>) =>
    api.ask(
      `query ($spec: SpecInput!) { tenantExplanation(spec: $spec) { ${EXPLANATION} } }`,
      { spec: { gantt: { flavor: { vcpus: 999, memoryMb: 64 }, projectId: 'p1', ...gantt } } },
      tenant,
    )
  expect(rootOf(await ask({}), 'tenantExplanation').demands).toEqual([
    { kind: 'MEMORY', asked: '64 MiB', state: 'MET', text: 'At least one host meets this requirement.' },
    {
      kind: 'VCPUS',
      asked: '999 vCPUs',
      state: 'IN_THE_WAY',
      text: 'No host that meets all requirements listed above this one has that many virtual CPUs free. Choose a flavor with fewer virtual CPUs, or ask again later.',
    },
  ])
  const placed = await ask({ flavor: { vcpus: 1, memoryMb: 64 } })
  expect(rootOf(placed, 'tenantExplanation')).toMatchObject({ outcome: 'PLACED', isInYourHands: null })
  for (const gantt of [{ projectId: 'p2' }, { forceHosts: ['secret-host-1'] }])
    expect((await ask(gantt)).errors[0]?.extensions.rule).toBe('key.bound')
})

test('the project of a claim does not learn why an operator revoked the claim', async () => {
  const { claim } = (await place({})).destinations[0].selected
  const revoke = 'mutation ($id: ID!) { claimRevoke(ids: [$id], reason: "drains secret-host-1") { __typename } }'
  await api.ask(revoke, { id: claim.id })
  const confirm = `mutation ($claims: [ClaimRef!]!) { claimConfirm(claims: $claims) { ... on ClaimLost { message claim { state reason } } } }`
  const answer = await api.ask(confirm, { claims: [claim] }, tenant)
  expect(rootOf(answer, 'claimConfirm')).toMatchObject([{ claim: { state: 'REVOKED', reason: null } }])
  expect(answer.text).not.toContain('secret-host')
})

test.each(['UserError', 'NoValidHost'])(
  'for a key bound to a project, a refusal by %s says that no host was found, without host counts',
  async (type) => {
    const document = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename ... on ${type} { message } } }`
    const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 999_999 }, projectId: 'p1' } }
    const answer = await api.ask(document, { in: { idempotencyKey: randomUUID(), spec } }, tenant)
    expect(rootOf(answer, 'selectDestinations')).toEqual({ __typename: 'NoValidHost', message: 'No host was found for the instance.' })
  },
)

test.each([
  'explainPlacement(input: { subject: { spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } } }) { __typename }',
  'whyNot(input: { host: { host: "secret-host-1" }, subject: { spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } } }) { headline }',
  'hosts { totalCount }',
  'decisions { nodes { destinations { selected { host { name } } } } }',
  'decisions { nodes { explanation { __typename } } }',
  'decisions { nodes { reasons { code } } }',
  'decisions { nodes { funnel { passed } } }',
  'decisions { nodes { hostCount } }',
  'decisions { nodes { spec { document } } }',
  'requestSpecs { totalCount }',
])('a key bound to a project may not query { %s }', async (query) => {
  const answer = await api.ask(`{ ${query} }`, {}, tenant)
  expect([answer.status, codeOf(answer)]).toEqual([403, 'FORBIDDEN'])
  expect(answer.text).not.toContain('secret-host')
})

test.each([
  'selected { weight }',
  'selected { limits { limit } }',
  'alternates { host { name } }',
  'selected { host { availabilityZone } }',
])('a key bound to a project may not read { %s } of its destinations', async (fields) => {
  const document = `mutation { selectDestinations(input: { idempotencyKey: "${randomUUID()}", spec: { gantt: { projectId: "p1", flavor: { vcpus: 1, memoryMb: 1 } } } })
      { ... on SelectDestinationsPayload { destinations { ${fields} } } } }`
  expect((await api.ask(document, {}, tenant)).status).toBe(403)
})

test('a key bound to host names can send signs of life only of these hosts', async () => {
  const beat = (...hosts: readonly string[]) =>
    api.ask(`mutation { hostHeartbeat(hosts: [${hosts.map((host) => `{ host: "${host}" }`)}]) { heard unknown } }`, {}, agent)
  expect((await beat('secret-host-1')).data).toEqual({ hostHeartbeat: { heard: 1, unknown: [] } })
  const refused = await beat('secret-host-1', 'secret-host-2')
  expect(refused.errors[0]?.extensions).toMatchObject({ rule: 'key.bound', path: ['hosts', '1', 'host'] })
  // the answer for a host that does not exist is the same, so the refusal does not reveal which hosts exist
  expect((await beat('nobody')).errors[0]?.extensions).toMatchObject({ rule: 'key.bound' })
})

test('a key bound to host names can report for these hosts, and each report of another host is refused separately', async () => {
  const report = (host: string, sequence: number) => ({
    name: { host },
    reporter: { incarnation: '8f2f4c8e-0000-4000-8000-000000000001', sequence },
    report: { full: { vcpus: 16, vcpusUsed: 1, memoryMb: 65_536, memoryMbUsed: 1, localGb: 1_024, localGbUsed: 0 } },
  })
  const document = `mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount fleetRevision
    results { __typename ... on ResourceStatsApplied { host { name } } ... on ValidationError { code path issues { path rule } } } } }`
  const before = await api.ask('{ host(name: "secret-host-2") { capacity { used } } }')
  const mixed = await api.ask(document, { updates: [report('secret-host-2', 1), report('secret-host-1', 1)] }, agent)
  const path = ['input', 'updates', '0', 'name', 'host']
  expect(rootOf(mixed, 'updateResourceStats')).toMatchObject({
    appliedCount: 1,
    results: [
      { __typename: 'ValidationError', code: 'FORBIDDEN', path, issues: [{ path, rule: 'key.bound' }] },
      { __typename: 'ResourceStatsApplied', host: { name: 'secret-host-1' } },
    ],
  })
  const none = await api.ask(document, { updates: [report('secret-host-2', 2)] }, agent)
  expect(rootOf(none, 'updateResourceStats')).toMatchObject({ appliedCount: 0, results: [{ code: 'FORBIDDEN' }] })
  expect((await api.ask('{ host(name: "secret-host-2") { capacity { used } } }')).text).toBe(before.text)
})

describe('a key bound to hosts adds no more nodes than its limit', () => {
  const REPORT = `mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { appliedCount
    results { __typename ... on ValidationError { code message path issues { rule } } } } }`
  const full = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
  const nodeOf = (host: string, node: string | null, sequence = 1) => ({
    name: { host, ...(node === null ? {} : { node }) },
    reporter: { incarnation: '6f1c7f0e-6f0e-4d5a-9c3e-0d8f5f0b2a11', sequence },
    report: { full: { ...full, runningVms: sequence } },
  })
  const send = async (key: string, ...updates: readonly unknown[]): Promise<Json> =>
    rootOf(await api.ask(REPORT, { updates }, key), 'updateResourceStats')
  const keyFor = async (hosts: readonly string[], maxNodes?: number): Promise<string> =>
    (await api.service.keys.create({ name: 'k', account: 'agents', scopes: ['REPORT'], hosts, ...(maxNodes ? { maxNodes } : {}) })).secret
  const countOf = async (host: string): Promise<number> =>
    (await dataOf(api, `{ hosts(query: "host:${host}") { totalCount } }`)).hosts.totalCount

  test('a key without a limit can add one node and report it any number of times', async () => {
    const key = await keyFor(['one'])
    expect((await send(key, nodeOf('one', null))).appliedCount).toBe(1)
    expect((await send(key, nodeOf('one', null, 2))).appliedCount).toBe(1)
    const { appliedCount, results } = await send(key, nodeOf('one', 'other'), nodeOf('one', null, 3))
    expect(appliedCount).toBe(1)
    expect(results[0]).toMatchObject({
      code: 'FORBIDDEN',
      path: ['input', 'updates', '0', 'name', 'node'],
      message: expect.stringContaining('"one" has 1, and the key may report at most 1 of a host'),
      issues: [{ rule: 'key.max_nodes' }],
    })
    expect(await countOf('one')).toBe(1)
  })

  test.each<[string, string, (host: string) => readonly (readonly unknown[])[]]>([
    [
      '3,000 in calls of a thousand',
      'many-calls',
      (host) => [0, 1, 2].map((call) => Array.from({ length: 1_000 }, (_, i) => nodeOf(host, `n${call}-${i}`))),
    ],
    [
      'a hundred calls at once, each with another node',
      'at-once',
      (host) => Array.from({ length: 100 }, (_, i) => [nodeOf(host, `n${i}`)]),
    ],
    ['names that differ in case', 'cased', (host) => ['n', 'N', 'ń', 'n ', ' n', 'n.'].map((node) => [nodeOf(host, node)])],
    [
      'names of other hosts',
      'borrowed',
      (host) => ['secret-host-1', 'secret-host-2', 'one', host, 'x'].map((node) => [nodeOf(host, node)]),
    ],
    [
      'the same node twice in a call, and others',
      'twice',
      (host) => [['a', 'a', 'b', 'b', 'c', 'c'].map((node, i) => nodeOf(host, node, i + 1))],
    ],
  ])('with a limit of three, a key can add three of %s', async (_name, host, calls) => {
    const key = await keyFor([host], 3)
    await Promise.all(calls(host).map((updates) => send(key, ...updates)))
    expect(await countOf(host)).toBe(3)
  })

  test('the limit applies to each of several hosts', async () => {
    const key = await keyFor(['left', 'right'])
    const { appliedCount } = await send(key, nodeOf('left', null), nodeOf('right', null), nodeOf('right', 'second'))
    expect([appliedCount, await countOf('left'), await countOf('right')]).toEqual([2, 1, 1])
  })

  test('nodes that other keys reported are counted, and the key can report them', async () => {
    const unbound = await api.keyWith('REPORT')
    await send(unbound, nodeOf('old', 'a'), nodeOf('old', 'b'))
    const key = await keyFor(['old'], 2)
    const { appliedCount, results } = await send(key, nodeOf('old', 'a', 2), nodeOf('old', 'b', 2), nodeOf('old', 'c'))
    expect([appliedCount, results[2].__typename]).toEqual([2, 'ValidationError'])
  })

  test('a node that was refused is not counted', async () => {
    const key = await keyFor(['again'])
    const broken = { ...nodeOf('again', 'x'), report: { full: { ...full, vcpus: -1 } } }
    expect((await send(key, broken)).appliedCount).toBe(0)
    expect((await send(key, nodeOf('again', 'y'))).appliedCount).toBe(1)
  })
})
