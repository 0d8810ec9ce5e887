import { randomUUID } from 'node:crypto'
import { COUNTED_RESERVATIONS } from '@gantt/scheduler-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

// A service of the time of Juno reports rows of compute_nodes, which count instances and do not list them, and never confirms a claim.

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const FLAVOR = { vcpus: 2, memory_mb: 2_048, root_gb: 20, ephemeral_gb: 0, swap: 0 }

/** Sends the row of a host with so many instances of the flavor. */
async function report(host: string, sequence: number, instances: number): Promise<void> {
  const row = {
    ...{ vcpus: 16, vcpus_used: 2 * instances, memory_mb: 65_536, memory_mb_used: 512 + 2_048 * instances },
    ...{ local_gb: 1_000, local_gb_used: 20 * instances, free_disk_gb: 1_000 - 20 * instances },
    stats: JSON.stringify({ num_instances: String(instances) }),
  }
  const update = { name: { host }, reporter: { incarnation: '0b1b3a4e-6a61-4d4c-9a43-6d5f7a0c8f11', sequence }, report: { nova: row } }
  const { updateResourceStats } = await dataOf(
    api,
    'mutation ($u: ResourceStatsInput!) { updateResourceStats(input: { updates: [$u] }) { appliedCount } }',
    { u: update },
  )
  expect(updateResourceStats.appliedCount).toBe(1)
}

const UNTIL_COUNTED = { mode: 'RESERVE', untilCounted: true }

const place = async (host: string, claim: object = UNTIL_COUNTED): Promise<Json> => {
  const properties = { uuid: randomUUID(), project_id: 'juno' }
  const request_spec = { image: {}, num_instances: 1, instance_type: FLAVOR, instance_properties: properties }
  const answer = await placeWith(api, { spec: { legacy: { request_spec, filter_properties: { force_hosts: [host] } } }, claim })
  return answer.destinations[0].selected.claim
}

/** The vCPUs of a host that its report counts, and those that claims hold in addition. */
async function vcpusOf(host: string): Promise<readonly number[]> {
  const { capacity } = (
    await dataOf(api, 'query ($host: String!) { host(name: $host) { capacity { resourceClass used claimed } } }', { host })
  ).host
  const { used, claimed } = capacity.find(({ resourceClass }: Json) => resourceClass === 'VCPU')
  return [used, claimed]
}

const claimOf = async (id: string): Promise<Json> =>
  (await dataOf(api, 'query ($id: ID!) { claim(id: $id) { state reason untilCounted } }', { id })).claim

test('an instance is counted once: as a reservation, and then by the figures of its host', async () => {
  await report('n1', 1, 1)
  const { id } = await place('n1')
  expect(await claimOf(id)).toEqual({ state: 'RESERVED', reason: null, untilCounted: true })
  expect(await vcpusOf('n1')).toEqual([2, 2])
  await report('n1', 2, 1)
  expect(await vcpusOf('n1')).toEqual([2, 2])
  await report('n1', 3, 2)
  expect(await vcpusOf('n1')).toEqual([4, 0])
  expect(await claimOf(id)).toEqual({ state: 'RELEASED', reason: 'counted by its host', untilCounted: false })
})

test('a reservation that is released after its host counted an instance stays held until the host counts the other one', async () => {
  await report('n5', 1, 0)
  const first = await place('n5', { ...UNTIL_COUNTED, ttl: 'PT10M' })
  const second = await place('n5', { ...UNTIL_COUNTED, ttl: 'PT20M' })
  const { expiresAt } = (await dataOf(api, 'query ($id: ID!) { claim(id: $id) { expiresAt } }', { id: second.id })).claim
  // the second instance starts, and the reservation of the first one ends in its place
  await report('n5', 2, 1)
  expect([(await claimOf(first.id)).state, (await claimOf(second.id)).state]).toEqual(['RELEASED', 'RESERVED'])
  const release = async (): Promise<Json> => {
    const [outcome] = (
      await dataOf(
        api,
        `mutation ($claim: ClaimRef!) { claimRelease(claims: [$claim]) {
          ... on ClaimPayload { replayed claim { state heldUntil } } ... on UserError { message } } }`,
        { claim: { id: second.id, fence: second.fence } },
      )
    ).claimRelease
    return outcome
  }
  const claim = { state: 'RELEASED', heldUntil: expiresAt }
  expect([await release(), await release()]).toEqual([
    { replayed: false, claim },
    { replayed: true, claim },
  ])
  expect(await vcpusOf('n5')).toEqual([2, 2])
  await report('n5', 3, 2)
  expect(await vcpusOf('n5')).toEqual([4, 0])
  expect((await release()).claim).toEqual({ state: 'RELEASED', heldUntil: null })
})

test('a reservation whose call does not ask for this stays until its end', async () => {
  await report('n2', 1, 0)
  const { id } = await place('n2', { mode: 'RESERVE' })
  await report('n2', 2, 1)
  expect([(await claimOf(id)).state, await vcpusOf('n2')]).toEqual(['RESERVED', [2, 2]])
})

test('a call that is repeated with another value of untilCounted is another request', async () => {
  await report('n3', 1, 0)
  const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, forceHosts: ['n3'] } }
  const call = { spec, idempotencyKey: randomUUID() }
  await placeWith(api, { ...call, claim: { mode: 'RESERVE', untilCounted: true } })
  const { it } = await dataOf(api, 'mutation ($in: SelectDestinationsInput!) { it: selectDestinations(input: $in) { __typename } }', {
    in: { ...call, claim: { mode: 'RESERVE' } },
  })
  expect(it.__typename).toBe('IdempotencyConflict')
})

test('an instance that its host counted, and that failed there, is not placed there again', async () => {
  await report('n8', 1, 0)
  await report('n9', 1, 0)
  const uuid = randomUUID()
  const attempt = async (retry: object): Promise<Json> => {
    const request_spec = { image: {}, num_instances: 1, instance_type: FLAVOR, instance_properties: { uuid, project_id: 'juno' } }
    const filter_properties = { ...retry, scheduler_hints: {}, force_hosts: [] }
    const hosts = { ignoreHosts: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'] }
    const legacy = { request_spec, filter_properties: { ...filter_properties, ignore_hosts: hosts.ignoreHosts } }
    return (await placeWith(api, { spec: { legacy }, claim: { mode: 'RESERVE', untilCounted: true } })).destinations[0].selected
  }
  const first = await attempt({})
  // the host counts the instance when its start begins, and no longer when the start fails
  await report(first.host.name, 2, 1)
  expect((await claimOf(first.claim.id)).reason).toBe('counted by its host')
  await report(first.host.name, 3, 0)
  const second = await attempt({ retry: { num_attempts: 2, hosts: [[first.host.name, first.host.name]] } })
  expect([first.host.name, second.host.name].sort()).toEqual(['n8', 'n9'])
})

test('a service that is held below the feature level reserves for the TTL, and lists the field as ignored', async () => {
  const held = await startTestService({ featureLevel: COUNTED_RESERVATIONS - 1 })
  try {
    await held.report({ n1: {} })
    const input = {
      idempotencyKey: randomUUID(),
      spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, instanceUuids: [randomUUID()] } },
      claim: { mode: 'RESERVE', ttl: 'PT5M', untilCounted: true },
    }
    const claim = { state: 'RESERVED', untilCounted: false }
    for (const replayed of [false, true])
      expect(await answerTo(held, input)).toMatchObject({
        ...{ __typename: 'SelectDestinationsPayload', replayed, ignoredFields: ['claim.untilCounted'] },
        destinations: [{ selected: { claim } }],
      })
  } finally {
    await held.close()
  }
})

test('where the field has its effect, it is not listed as ignored, also if the call is repeated after the reservation ended', async () => {
  await report('n4', 1, 0)
  const spec = { gantt: { flavor: { vcpus: 2, memoryMb: 2_048, rootGb: 20 }, forceHosts: ['n4'], instanceUuids: [randomUUID()] } }
  const input = { idempotencyKey: randomUUID(), spec, claim: { mode: 'RESERVE', untilCounted: true } }
  expect(await answerTo(api, input)).toMatchObject({ replayed: false, ignoredFields: [] })
  await report('n4', 2, 1)
  expect(await answerTo(api, input)).toMatchObject({
    ...{ replayed: true, ignoredFields: [] },
    destinations: [{ selected: { claim: { state: 'RELEASED' } } }],
  })
})

const answerTo = async (service: TestService, input: object): Promise<Json> =>
  (
    await dataOf(
      service,
      `mutation ($in: SelectDestinationsInput!) { it: selectDestinations(input: $in) { __typename ... on SelectDestinationsPayload {
        replayed ignoredFields destinations { selected { claim { state untilCounted } } } } ... on UserError { message } } }`,
      { in: input },
    )
  ).it
