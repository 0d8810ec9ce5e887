import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

// These tests check over HTTP that an instance has at most one live claim. They check the answers that different callers get, and the
// effects of a second call that places the same instance.

let api: TestService
let tenant: string
let colleague: string
let stranger: string
let blind: string
let claimer: string

beforeAll(async () => {
  api = await startTestService()
  const make = async (
    account: string,
    project: string | null,
    scopes: readonly ('READ' | 'SCHEDULE' | 'CLAIM')[] = ['READ', 'SCHEDULE', 'CLAIM'],
  ) => (await api.service.keys.create({ name: 'k', account, scopes, project })).secret
  tenant = await make('tenant', 'p1')
  colleague = await make('colleague', 'p1')
  stranger = await make('stranger', 'p2')
  blind = await make('blind', null, ['SCHEDULE'])
  claimer = await make('claimer', null, ['CLAIM'])
})
afterAll(async () => {
  // one of the tests places the same uuid in two projects; the auditor must report this, so its warning is expected
  expect(api.warnings.filter((text) => !text.includes('instance.elsewhere'))).toEqual([])
  await api.close()
})

const SELECT = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on SelectDestinationsPayload { replayed decision { id } destinations { instanceUuid
    selected { host { name } claim { id fence state } } } }
  ... on NoValidHost { message }
  ... on InstanceTaken { rule claim { id fence state } }
  ... on ValidationError { issues { path message } }
  ... on UserError { code message path } } }`

const CREATE = `mutation ($in: ClaimCreateInput!) { claimCreate(input: $in) { __typename
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name } claim { id fence state moveOf { id } } } } }
  ... on InstanceTaken { rule claim { id } } ... on UserError { code message } } }`

const MOVES = `query ($id: ID!) { claim(id: $id) { state reason host { name } moveOf { id } movingTo { id } } }`

const place = async (gantt: Record<string, unknown>, input: Record<string, unknown> = {}, key?: string): Promise<Json> => {
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, ...gantt } }
  const answer = await api.ask(SELECT, { in: { idempotencyKey: randomUUID(), spec, ...input } }, key)
  if (!answer.data) throw new Error(answer.text)
  return answer.data.selectDestinations
}
const claimOf = (answer: Json): { id: string; fence: number } => {
  const { id, fence } = answer.destinations[0].selected.claim
  return { id, fence }
}
const hostOf = (answer: Json): string => answer.destinations[0].selected.host.name
const read = async (id: string): Promise<Json> => (await dataOf(api, MOVES, { id })).claim
const hosts = async (prefix: string, count: number): Promise<string[]> => {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i + 1}`)
  await api.report(Object.fromEntries(names.map((name) => [name, { vcpus: 16 }])))
  return names
}
const release = (claim: object): Promise<Json> =>
  dataOf(api, `mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }`, { c: [claim] })

/** A request in Nova's form that lists the hosts on which the instance was tried before. */
const novaSpec = (instance: string, tried: readonly string[], project = 'nova') => {
  const object = (name: string, data: object) => ({
    'nova_object.name': name,
    'nova_object.version': '1.0',
    'nova_object.namespace': 'nova',
    'nova_object.data': data,
  })
  return {
    nova: object('RequestSpec', {
      flavor: object('Flavor', {
        vcpus: 1,
        memory_mb: 64,
        root_gb: 0,
        ephemeral_gb: 0,
        swap: 0,
        extra_specs: {},
        name: 'f',
        flavorid: 'f',
      }),
      num_instances: 1,
      instance_uuid: instance,
      project_id: project,
      user_id: 'u',
      retry:
        tried.length === 0
          ? null
          : object('SchedulerRetries', {
              num_attempts: tried.length + 1,
              hosts: object('ComputeNodeList', {
                objects: tried.map((host) => object('ComputeNode', { host, hypervisor_hostname: host })),
              }),
            }),
    }),
  }
}

describe('Z19, F9: one instance is placed by CREATE under two keys', () => {
  test('the second call for an instance is refused with the existing claim, and calls with the first key, another instance or no instance are placed', async () => {
    const [a, b] = await hosts('f9', 2)
    const instance = randomUUID()
    const gantt = { forceHosts: [a, b], instanceUuids: [instance], flavor: { vcpus: 4, memoryMb: 64 } }
    const idempotencyKey = randomUUID()
    const first = await place(gantt, { claim: { mode: 'CONFIRM' }, idempotencyKey })
    const second = await place(gantt, { claim: { mode: 'CONFIRM' } })
    expect(second).toMatchObject({ __typename: 'InstanceTaken', code: 'INSTANCE_TAKEN', rule: 'claim.instance_taken', path: ['input'] })
    expect(second.claim).toMatchObject(claimOf(first))
    expect(await place(gantt, { claim: { mode: 'CONFIRM' }, idempotencyKey })).toMatchObject({
      replayed: true,
      destinations: first.destinations,
    })
    expect(await place({ ...gantt, instanceUuids: [instance.toUpperCase()] })).toMatchObject({ __typename: 'InstanceTaken' })
    expect(await place(gantt, { intent: 'UNSHELVE' })).toMatchObject({ __typename: 'InstanceTaken' })
    expect(await place({ ...gantt, instanceUuids: [randomUUID(), instance] })).toMatchObject({ __typename: 'InstanceTaken' })
    expect(await place({ ...gantt, instanceUuids: [randomUUID()] })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await place({ ...gantt, instanceUuids: undefined })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    // after the claim has ended, a call succeeds even if its idempotency key was used by a refused call
    const retried = { idempotencyKey: randomUUID() }
    expect(await place(gantt, retried)).toMatchObject({ __typename: 'InstanceTaken' })
    await release(claimOf(first))
    expect(await place(gantt, retried)).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: false })
  })

  test('advice and probes return a possible host although the instance has a claim', async () => {
    const [a] = await hosts('advice', 1)
    const gantt = { forceHosts: [a], instanceUuids: [randomUUID()] }
    await place(gantt)
    for (const input of [{ claim: { mode: 'NONE' } }, { intent: 'PROBE' }])
      expect(await place(gantt, input)).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })

  test('of ten simultaneous calls for one instance one is placed, and the others get the existing claim', async () => {
    const names = await hosts('race', 3)
    const gantt = { forceHosts: names, instanceUuids: [randomUUID()] }
    const answers = await Promise.all(Array.from({ length: 10 }, () => place(gantt)))
    const placed = answers.filter(({ __typename }) => __typename === 'SelectDestinationsPayload')
    expect(placed).toHaveLength(1)
    for (const other of answers.filter((answer) => answer !== placed[0]))
      expect(other).toMatchObject({ __typename: 'InstanceTaken', claim: claimOf(placed[0]) })
  })
})

describe('the answer depends on what the caller may read', () => {
  test('an instance with the same uuid in another project is placed, and the auditor reports it', async () => {
    await hosts('projects', 2)
    const instanceUuids = [randomUUID()]
    expect(await place({ instanceUuids, projectId: 'p1' }, {}, tenant)).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await place({ instanceUuids, projectId: 'p2' }, {}, stranger)).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })

  test('a caller that may not read the existing claim gets only the rule', async () => {
    await hosts('secret-zq', 2)
    const instanceUuids = [randomUUID()]
    const gantt = { instanceUuids, projectId: 'p1' }
    const first = await place(gantt, {}, tenant)
    const onItsHost = { decisionId: first.decision.id, host: { host: hostOf(first) }, idempotencyKey: randomUUID() }
    const byClaimCreate = await api.ask(CREATE, { in: onItsHost }, claimer)
    const others = [await place(gantt, {}, colleague), await place(gantt, {}, blind), byClaimCreate.data?.claimCreate]
    for (const answer of others) {
      expect(answer).toMatchObject({ __typename: 'InstanceTaken', rule: 'claim.instance_taken', claim: null })
      const text = JSON.stringify(answer)
      for (const secret of [claimOf(first).id, String(claimOf(first).fence), hostOf(first), 'tenant']) expect(text).not.toContain(secret)
    }
    // a key of the project reads the project's claims, and an operator's key reads all claims
    for (const key of [tenant, undefined]) expect(await place(gantt, {}, key)).toMatchObject({ claim: { id: claimOf(first).id } })
  })
})

describe('a further attempt to place an instance', () => {
  test("a further attempt in Nova's form, with the claim's host among those that were tried, moves the claim, any number of times", async () => {
    const names = await hosts('retry', 4)
    const instance = randomUUID()
    const zone = `retry-${randomUUID()}`
    await dataOf(api, `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }`, {
      in: { name: zone, hosts: names, availabilityZone: zone },
    })
    const attempt = async (tried: readonly string[], more: Record<string, unknown> = {}): Promise<Json> => {
      const spec = novaSpec(instance, tried)
      Object.assign(spec.nova['nova_object.data'], { availability_zone: zone })
      const answer = await api.ask(SELECT, { in: { idempotencyKey: randomUUID(), spec, ...more } })
      if (!answer.data) throw new Error(answer.text)
      return answer.data.selectDestinations
    }
    const first = await attempt([])
    expect(await attempt([])).toMatchObject({ __typename: 'InstanceTaken', claim: { id: claimOf(first).id } })
    expect(await attempt(['another'])).toMatchObject({ __typename: 'InstanceTaken' })
    const second = await attempt([hostOf(first)])
    expect(second).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await read(claimOf(second).id)).toMatchObject({ moveOf: { id: claimOf(first).id } })
    const third = await attempt([hostOf(first), hostOf(second)])
    expect(third).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await read(claimOf(second).id)).toMatchObject({ state: 'RELEASED' })
    const fourth = await attempt([hostOf(third)])
    expect(fourth).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(new Set([first, second, third].map(hostOf)).size).toBe(3)
    expect(await read(claimOf(first).id)).toMatchObject({ movingTo: { id: claimOf(fourth).id } })
    await dataOf(api, `mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }`, { c: [claimOf(fourth)] })
    expect(await read(claimOf(first).id)).toMatchObject({ state: 'RELEASED', reason: 'moved' })
    const EXPLAIN = `query ($id: ID!) { decision(id: $id) { explanation { fidelity } } }`
    for (const { decision } of [second, third, fourth])
      expect((await dataOf(api, EXPLAIN, { id: decision.id })).decision.explanation.fidelity).toBe('REPLAYED')
  })

  test('a further attempt that names a replaced host by its old name moves the claim to another host', async () => {
    const names = await hosts('renamed', 2)
    const instance = randomUUID()
    const zone = `renamed-${randomUUID()}`
    await dataOf(api, `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }`, {
      in: { name: zone, hosts: names, availabilityZone: zone },
    })
    const attempt = async (tried: readonly string[]): Promise<Json> => {
      const spec = novaSpec(instance, tried)
      Object.assign(spec.nova['nova_object.data'], { availability_zone: zone })
      return (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), spec } })).selectDestinations
    }
    const first = await attempt([])
    const old = hostOf(first)
    const { hostReplace } = await dataOf(
      api,
      'mutation ($host: String!, $by: String!) { hostReplace(host: { host: $host }, by: { host: $by }, reason: "moved") { __typename } }',
      { host: old, by: `${old}-new` },
    )
    expect(hostReplace.__typename).toBe('HostReplacePayload')
    const second = await attempt([old])
    expect(second).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect([old, `${old}-new`]).not.toContain(hostOf(second))
    expect(await read(claimOf(second).id)).toMatchObject({ moveOf: { id: claimOf(first).id } })
    const { decision } = await dataOf(api, 'query ($id: ID!) { decision(id: $id) { explanation { fidelity } } }', {
      id: second.decision.id,
    })
    expect(decision.explanation.fidelity).toBe('REPLAYED')
  })

  test('a further attempt of another account is refused, although it names the right host', async () => {
    const [a] = await hosts('foreign', 2)
    const instance = randomUUID()
    const first = await place({ forceHosts: [a], instanceUuids: [instance], projectId: 'nova' })
    const other = (await api.service.keys.create({ name: 'k', account: 'other', scopes: ['READ', 'SCHEDULE', 'CLAIM'] })).secret
    const answer = await api.ask(SELECT, { in: { idempotencyKey: randomUUID(), spec: novaSpec(instance, [a as string]) } }, other)
    expect(answer.data?.selectDestinations).toMatchObject({ __typename: 'InstanceTaken', claim: { id: claimOf(first).id } })
  })

  test('after an operator of another account evacuated the host, the claim still belongs to the account of its instance, which can make a further attempt', async () => {
    const names = await hosts('owner', 3)
    const instance = randomUUID()
    const owner = (await api.service.keys.create({ name: 'k', account: 'owner', scopes: ['SCHEDULE', 'CLAIM'] })).secret
    const first = await place({ forceHosts: names, instanceUuids: [instance], projectId: 'nova' }, { claim: { mode: 'CONFIRM' } }, owner)
    const EVACUATE = `mutation ($in: HostEvacuateInput!) { hostEvacuate(input: $in) { __typename
      ... on HostEvacuatePayload { moves { result { __typename ... on SelectDestinationsPayload { destinations { selected { host { name } claim { id fence } } } } } } } } }`
    const evacuated = await dataOf(api, EVACUATE, {
      in: { host: { host: hostOf(first) }, idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' } },
    })
    const moved = evacuated.hostEvacuate.moves[0].result
    await dataOf(api, `mutation ($c: [ClaimRef!]!) { claimConfirm(claims: $c) { __typename } }`, { c: [claimOf(moved)] })
    const retry = async (key?: string) =>
      (await api.ask(SELECT, { in: { idempotencyKey: randomUUID(), spec: novaSpec(instance, [hostOf(moved)]) } }, key)).data
        ?.selectDestinations
    const again = (await api.service.keys.create({ name: 'k', account: 'bystander', scopes: ['SCHEDULE'] })).secret
    expect(await retry(again)).toMatchObject({ __typename: 'InstanceTaken', claim: null })
    // although an operator moved the instance, it does not belong to the operator
    expect(await retry()).toMatchObject({ __typename: 'InstanceTaken' })
    expect(await place({ instanceUuids: [instance], projectId: 'nova' }, {}, owner)).toMatchObject({
      __typename: 'InstanceTaken',
      claim: { id: claimOf(moved).id },
    })
    const second = await retry(owner)
    expect(second).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await read(claimOf(second).id)).toMatchObject({ moveOf: { id: claimOf(moved).id } })
  })

  test('a further attempt that uses an alternate moves the claim without moveOf; a host that is not an alternate is refused', async () => {
    const names = await hosts('alternate', 3)
    const instance = randomUUID()
    const first = await place({ forceHosts: names, instanceUuids: [instance] }, { alternatesPerInstance: 2 })
    const [b, c] = names.filter((name) => name !== hostOf(first))
    const create = async (host: string | undefined) =>
      (await dataOf(api, CREATE, { in: { decisionId: first.decision.id, host: { host }, idempotencyKey: randomUUID() } })).claimCreate
    expect(await create(hostOf(first))).toMatchObject({ __typename: 'InstanceTaken', claim: { id: claimOf(first).id } })
    const second = await create(b)
    expect(second.destinations[0].selected.claim).toMatchObject({ state: 'RESERVED', moveOf: { id: claimOf(first).id } })
    const third = await create(c)
    expect(third.destinations[0].selected.claim).toMatchObject({ moveOf: { id: claimOf(first).id } })
    expect(await read(claimOf(second).id)).toMatchObject({ state: 'RELEASED' })
    // after the source claim has ended, a further call moves the claim that is on the destination
    await release(claimOf(first))
    expect((await create(b)).destinations[0].selected.claim).toMatchObject({ moveOf: { id: claimOf(third).id } })
  })

  test('a further attempt after the claim ended with its host creates a new claim in the group that the request names, or in no group', async () => {
    const names = await hosts('ended', 2)
    const [a, b] = names
    const zone = `ended-${randomUUID()}`
    await dataOf(api, `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }`, {
      in: { name: zone, hosts: names, availabilityZone: zone },
    })
    const uuid = randomUUID()
    const member = (instance: string, host: string | undefined) =>
      place(
        { forceHosts: [host], instanceUuids: [instance], projectId: 'nova', instanceGroup: { uuid, policy: 'ANTI_AFFINITY' } },
        { claim: { mode: 'CONFIRM' } },
      )
    const instance = randomUUID()
    await member(instance, a)
    await member(randomUUID(), b)
    await dataOf(api, `mutation ($host: String!) { hostForget(hosts: [{ host: $host }], force: true, reason: "gone") { __typename } }`, {
      host: a,
    })
    const attempt = async (more: Record<string, unknown>): Promise<Json> => {
      const spec = novaSpec(instance, [a as string])
      Object.assign(spec.nova['nova_object.data'], { availability_zone: zone, ...more })
      return (await dataOf(api, SELECT, { in: { idempotencyKey: randomUUID(), spec } })).selectDestinations
    }
    const group = { ...novaSpec(instance, []).nova, 'nova_object.name': 'InstanceGroup' }
    const named = { instance_group: { ...group, 'nova_object.data': { uuid, policy: 'anti-affinity' } } }
    expect(await attempt(named)).toMatchObject({ __typename: 'NoValidHost' })
    const placed = await attempt({})
    expect(placed).toMatchObject({ destinations: [{ selected: { host: { name: b } } }] })
    const { claim } = await dataOf(api, 'query ($id: ID!) { claim(id: $id) { serverGroup moveOf { id } } }', { id: claimOf(placed).id })
    expect(claim).toEqual({ serverGroup: null, moveOf: null })
  })

  test('a further attempt for one of several instances is refused, because it would move one instance and place the others', async () => {
    const [a] = await hosts('several', 2)
    const instance = randomUUID()
    await place({ forceHosts: [a], instanceUuids: [instance] })
    expect(await place({ forceHosts: [a], instanceUuids: [instance, randomUUID()] })).toMatchObject({ __typename: 'InstanceTaken' })
  })
})

describe('the limits of idempotency keys', () => {
  const UPDATE = `mutation ($v: Int!, $cap: Int!, $after: Duration!, $dry: Boolean) { keyLimitsUpdate(ifVersion: $v, cap: $cap, afterlife: $after, dryRun: $dry) {
    __typename ... on KeyLimitsPayload { dryRun keyLimits { cap afterlife version } } ... on KeyLimitsConflict { code current { version } }
    ... on ValidationError { issues { path message } } } }`
  const update = async (v: number, cap: number, after: string, dry = false, key?: string): Promise<Json> =>
    api.ask(UPDATE, { v, cap, after, dry }, key)
  const read = async (): Promise<Json> => (await dataOf(api, '{ keyLimits { cap afterlife version endedKeys keptKeys } }')).keyLimits

  test('operators set the limits of idempotency keys on the version that they read; above the cap, calls are refused until the cap is raised', async () => {
    const [a] = await hosts('limits', 1)
    expect(await read()).toMatchObject({ cap: 20_000_000, afterlife: 'PT1H', version: 0 })
    expect((await update(0, 1_000, 'PT30M', true)).data?.keyLimitsUpdate).toMatchObject({
      dryRun: true,
      keyLimits: { cap: 1_000, version: 0 },
    })
    expect((await update(0, 1, 'PT1S')).data?.keyLimitsUpdate.issues.map(({ path }: Json) => path)).toEqual([['cap'], ['afterlife']])
    expect((await update(0, 1_000, 'PT30M')).data?.keyLimitsUpdate).toMatchObject({
      dryRun: false,
      keyLimits: { afterlife: 'PT30M', version: 1 },
    })
    expect((await update(0, 2_000, 'PT30M')).data?.keyLimitsUpdate).toMatchObject({
      __typename: 'KeyLimitsConflict',
      code: 'STALE',
      current: { version: 1 },
    })
    expect((await update(1, 2_000, 'PT30M', false, await api.keyWith('SCHEDULE'))).errors[0]?.extensions.code).toBe('FORBIDDEN')
    const live = await place({ forceHosts: [a] })
    const { endedKeys } = await read()
    const fill = Array.from({ length: 1_000 - endedKeys }, (_, i) => ({ type: 'abandon', account: 'filler', key: `fill-${i}` }) as const)
    await api.service.replica.propose(fill)
    expect(await place({ forceHosts: [a] })).toMatchObject({ __typename: 'ValidationError', code: 'QUOTA' })
    // `live` is the answer of the call before the cap was reached; calls succeed again after the cap is raised
    expect(live.__typename).toBe('SelectDestinationsPayload')
    expect((await update(1, 20_000_000, 'PT1H')).data?.keyLimitsUpdate).toMatchObject({ keyLimits: { version: 2 } })
    expect(await place({ forceHosts: [a] })).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  })
})
