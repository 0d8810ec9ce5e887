import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_000, localGbUsed: 0 }
const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename
  ... on ValidationError { issues { path message rule expected } }
  ... on NoValidHost { message cause { code } decision { id } }
  ... on SelectDestinationsPayload { decision { id } destinations { selected { host { name } claim { id fence gpus { index } cells { cell } } } } } } }`

const place = async (gantt: object): Promise<Json> =>
  (await dataOf(api, PLACE, { in: { idempotencyKey: randomUUID(), claim: { mode: 'CONFIRM' }, spec: { gantt } } })).selectDestinations

const small = { vcpus: 1, memoryMb: 64 }

describe('B07b, nomad PR 27177: GPUs near the NUMA cell of the CPUs', () => {
  const guest = { flavor: small, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 64 }] } }
  beforeAll(async () => {
    const numaCells = [0, 1].map((id) => ({ id, cpuset: [id * 2, id * 2 + 1], memoryMb: 32_768 }))
    await api.report({ near: { ...machine, numaCells, gpus: [{ index: 0, model: 'A', numaNode: 1 }, { index: 1 }] } })
  })

  test('a guest that requires a near GPU gets the cell of the GPU; the next guest fits in no cell, and the refusal explains why', async () => {
    const asked = { ...guest, forceHosts: ['near'], gpus: { count: 1, numaPolicy: 'required' } }
    expect(await place(asked)).toMatchObject({ destinations: [{ selected: { claim: { gpus: [{ index: 0 }], cells: [{ cell: 1 }] } } }] })
    const refused = await place(asked)
    expect(refused).toMatchObject({ __typename: 'NoValidHost', cause: { code: 'gpu.numa' } })
    expect(refused.message).toContain("1 GPU needed near the guest's NUMA cells, 0 free there; elsewhere 1 at no known cell.")
    const fit = 'query ($in: WhatWouldFitInput!) { whatWouldFit(input: $in) { counterfactuals { text } } }'
    const { whatWouldFit } = await dataOf(api, fit, { in: { decisionId: refused.decision.id } })
    expect(JSON.stringify(whatWouldFit)).toContain('near if possible')
  })

  test('a guest that only prefers a near GPU can get a GPU near another cell', async () => {
    expect(await place({ ...guest, forceHosts: ['near'], gpus: { count: 1, numaPolicy: 'preferred' } })).toMatchObject({
      destinations: [{ selected: { claim: { gpus: [{ index: 1 }] } } }],
    })
  })

  test('a request for GPUs near the cells of a guest without cells is refused with the path', async () => {
    expect(await place({ flavor: small, gpus: { count: 1, numaPolicy: 'required' } })).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['input', 'spec', 'gantt', 'gpus', 'numaPolicy'] }],
    })
  })

  test('a host lists the NUMA cell of each GPU', async () => {
    const { host } = await dataOf(api, '{ host(name: "near") { gpus { index numaNode } } }', {})
    expect(host.gpus).toEqual([
      { index: 0, numaNode: 1 },
      { index: 1, numaNode: null },
    ])
  })
})

describe('G01, credativ/ProxLB #35: groups that must not share hosts with other groups', () => {
  const [web, backup] = [randomUUID(), randomUUID()]
  const member = (uuid: string, more: object = {}, hosts = ['a', 'b']) => ({
    flavor: small,
    forceHosts: hosts,
    instanceGroup: { uuid, policy: 'SOFT_AFFINITY', ...more },
  })
  beforeAll(async () => {
    await api.report({ a: machine, b: machine })
  })

  test('hosts with members of the other group are refused, whichever of the two groups has the rule', async () => {
    const hostOf = async (spec: object) => (await place(spec)).destinations[0].selected.host.name
    expect(await hostOf(member(web, { apartFrom: [backup] }, ['a']))).toBe('a')
    expect(await hostOf(member(backup))).toBe('b')
    expect(await hostOf(member(web))).toBe('a')
    const refused = await place(member(backup, {}, ['a']))
    expect(refused).toMatchObject({ __typename: 'NoValidHost', cause: { code: 'group.apart' } })
    expect(refused.message).toContain(`Server group ${backup}: the host must have no member of ${web}; it has 2.`)
    const { serverGroup } = await dataOf(api, `{ serverGroup(uuid: "${web}") { apartFrom } }`, {})
    expect(serverGroup).toEqual({ apartFrom: [backup] })
  })

  test('groups that share a host cannot be kept apart, and the refusal names them', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    for (const group of [one, other]) await place(member(group, {}, ['a']))
    expect(await place(member(one, { apartFrom: [other] }, ['b']))).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          rule: 'claim.group_mismatch',
          path: ['input', 'spec', 'gantt', 'instanceGroup', 'apartFrom'],
          expected: expect.stringContaining(`as ${other} does`),
        },
      ],
    })
  })

  test('decisions about groups that are kept apart are replayed bit for bit', async () => {
    const { decision } = await place(member(backup, { apartFrom: [web] }))
    const { verifyDecision } = await dataOf(api, `{ verifyDecision(id: "${decision.id}") { outcome } }`, {})
    expect(verifyDecision).toEqual({ outcome: 'SAME' })
  })

  test('a claim cannot join a group if its host has members of the other group', async () => {
    const claim = (await place({ flavor: small, forceHosts: ['a'] })).destinations[0].selected.claim
    const JOIN = `mutation ($claims: [ClaimRef!]!, $group: ServerGroupRefInput, $dryRun: Boolean!) {
      claimSetServerGroup(claims: $claims, group: $group, dryRun: $dryRun) { __typename ... on UserError { message } } }`
    const asked = { claims: [{ id: claim.id, fence: claim.fence }], group: { uuid: backup, policy: 'SOFT_AFFINITY' } }
    for (const dryRun of [true, false]) {
      const { claimSetServerGroup } = await dataOf(api, JOIN, { ...asked, dryRun })
      expect(claimSetServerGroup).toEqual([
        {
          __typename: 'ServerGroupConflict',
          message: `Server group ${backup} is kept apart from ${web}, with members on that host; nothing was changed.`,
        },
      ])
    }
  })

  test('a move avoids the groups that its request names, in addition to the groups from which its own group is kept apart', async () => {
    await api.report({ c: machine, d: machine })
    const [moving, other] = [randomUUID(), randomUUID()]
    const { claim } = (await place(member(moving, {}, ['c']))).destinations[0].selected
    await place(member(other, {}, ['d']))
    const move = async (more: object): Promise<Json> => {
      const moveOf = { id: claim.id, fence: claim.fence }
      const spec = { gantt: member(moving, more, ['d']) }
      const input = { idempotencyKey: randomUUID(), intent: 'LIVE_MIGRATE', moveOf, claim: { mode: 'NONE' }, spec }
      return (await dataOf(api, PLACE, { in: input })).selectDestinations
    }
    expect(await move({ apartFrom: [other] })).toMatchObject({ __typename: 'NoValidHost', cause: { code: 'group.apart' } })
    expect(await move({})).toMatchObject({ destinations: [{ selected: { host: { name: 'd' } } }] })
  })

  test('a request whose group must be kept apart from itself is refused with its path', async () => {
    expect(await place(member(web, { apartFrom: [web] }))).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ path: ['input', 'spec', 'gantt', 'instanceGroup', 'apartFrom'] }],
    })
  })
})

describe('a move prefers hosts near the volumes and ports with which the instance was placed', () => {
  const names = ['n1', 'n2', 'n3']
  const [volume, port, pool, elsewhere] = Array.from({ length: 4 }, () => randomUUID())
  const REPORT = `mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { results { __typename ... on UserError { message } } } }`
  const reportStats = async (host: string, namespace: string, document: object) => {
    const report = { namespace: { namespace, version: '1.0', document } }
    const update = { name: { host }, reporter: { incarnation: randomUUID(), sequence: 1 }, report }
    const { results } = (await dataOf(api, REPORT, { in: { updates: [update] } })).updateResourceStats
    expect(results).toEqual([{ __typename: 'ResourceStatsApplied' }])
  }
  const storage = (uuid: string | undefined, volumes: readonly string[] = []) => ({
    pools: [{ uuid, name: 'p', distance: 1 }],
    volumes: volumes.map((one) => ({ uuid: one, pool: uuid })),
  })
  const network = (name: string, ports: readonly string[] = []) => ({
    physicalNetworks: [{ name }],
    ports: ports.map((uuid) => ({ uuid, physicalNetwork: name })),
  })
  beforeAll(async () => {
    // n2 has the most free memory, but reaches neither the volume nor the port
    await api.report({ n1: machine, n2: { ...machine, memoryMb: 131_072 }, n3: { ...machine, memoryMb: 32_768 } })
    await reportStats('n1', 'storage', storage(pool, [volume as string]))
    await reportStats('n2', 'storage', storage(elsewhere))
    await reportStats('n3', 'storage', storage(pool))
    await reportStats('n1', 'network', network('physnet1', [port as string]))
    await reportStats('n2', 'network', network('physnet2'))
    await reportStats('n3', 'network', network('physnet1'))
  })

  test.each<[string, object, object, string]>([
    ['a volume that the move does not name', { volumes: [volume] }, {}, 'n3'],
    ['a port that the move does not name', { ports: [port] }, {}, 'n3'],
    ['a move that switches the preference off', { volumes: [volume], ports: [port] }, { nearVolumesAndPorts: false }, 'n2'],
    ['a move that names other volumes', { volumes: [volume] }, { volumes: [randomUUID()] }, 'n2'],
    ['an instance without volumes and ports, for which the host with the most free memory is selected', {}, {}, 'n2'],
  ])('%s', async (_situation, first, then, host) => {
    const placed = await place({ flavor: small, instanceUuids: [randomUUID()], forceHosts: ['n1'], ...first })
    const { claim } = placed.destinations[0].selected
    const input = {
      ...{ idempotencyKey: randomUUID(), intent: 'LIVE_MIGRATE', moveOf: { id: claim.id, fence: claim.fence } },
      spec: { gantt: { flavor: small, forceHosts: names, ...then } },
    }
    const moved = (await dataOf(api, PLACE, { in: input })).selectDestinations
    expect(moved).toMatchObject({ destinations: [{ selected: { host: { name: host } } }] })
    // a repeated call with the same key gets the same answer
    const again = (await dataOf(api, PLACE, { in: input })).selectDestinations
    expect(again).toEqual(moved)
    const { verifyDecision } = await dataOf(api, `{ verifyDecision(id: "${moved.decision.id}") { outcome } }`, {})
    expect(verifyDecision).toEqual({ outcome: 'SAME' })
  })
})
