import { randomUUID } from 'node:crypto'
import { createGantt, type Gantt } from '@gantt/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

// In these tests, other services report volumes and ports, and instances are placed near them. Most calls use @gantt/client.

let api: TestService
let gantt: Gantt

const [pool, other, volume, port] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const incarnation = randomUUID()
let sequence = 0

beforeAll(async () => {
  api = await startTestService()
  // h3 has the most free memory, then h2, then h1
  await api.report({ h1: { memoryMbUsed: 16_384 }, h2: { memoryMbUsed: 8_192 }, h3: {} })
  const near = (maxAgeSeconds: number) => ({
    note: 'near what is asked for',
    filters: [
      { name: 'VolumeAffinityFilter', options: { maxAgeSeconds } },
      { name: 'PortAffinityFilter', options: { maxAgeSeconds } },
    ],
    weighers: [
      { name: 'RAMWeigher', multiplier: 1 },
      { name: 'VolumeAffinityWeigher', multiplier: 10 },
      { name: 'PortAffinityWeigher', multiplier: 10 },
    ],
  })
  for (const [profile, maxAge] of [
    ['near', 600],
    ['near-now', 1],
  ] as const)
    await dataOf(api, `mutation ($in: ProfileVersionInput!) { profileVersionCreate(profile: "${profile}", input: $in) { __typename } }`, {
      in: near(maxAge),
    })
  gantt = createGantt({ url: api.url, key: await api.keyWith('SCHEDULE', 'CLAIM', 'REPORT', 'READ') })
})
afterAll(() => api.close())

const reportStats = async (host: string, namespace: string, document: unknown, version = '1.0') => {
  sequence += 1
  const report = { namespace: { namespace, version, document } }
  const { results } = await gantt.updateResourceStats([{ name: { host }, reporter: { incarnation, sequence }, report }])
  return results[0]
}

const place = (hints: Readonly<Record<string, readonly string[]>>, profile = 'near') =>
  gantt.selectDestinations({
    profile,
    spec: {
      gantt: {
        flavor: { vcpus: 1, memoryMb: 64 },
        schedulerHints: Object.entries(hints).map(([key, values]) => ({ key, values: [...values] })),
      },
    },
  })

const hostOf = async (...args: Parameters<typeof place>): Promise<string | readonly string[]> => {
  const answer: Json = await place(...args)
  if (answer.__typename === 'SelectDestinationsPayload') return answer.destinations[0].selected.host.name
  return answer.reasons.map(({ code }: { code: string }) => code).sort()
}

const storage = (distance: number, ...volumes: readonly string[]) => ({
  pools: [{ uuid: pool, name: 'fast', distance, totalGib: 1_000 }],
  volumes: volumes.map((uuid) => ({ uuid, pool })),
})

test('before any report about volumes, a request near a volume is refused, and requests without volumes are placed as usual', async () => {
  expect(await hostOf({})).toBe('h3')
  expect(await hostOf({ near_volume: [volume] })).toEqual(['volume.unknown'])
})

test('an instance is placed on the host nearest to its volume, or on the host that reaches both its volume and its port', async () => {
  await reportStats('h1', 'storage', storage(0, volume))
  await reportStats('h2', 'storage', storage(1))
  expect(await hostOf({ near_volume: [volume] })).toBe('h1')
  await reportStats('h2', 'network', { physicalNetworks: [{ name: 'physnet1' }], ports: [{ uuid: port, physicalNetwork: 'physnet1' }] })
  await reportStats('h3', 'network', { physicalNetworks: [{ name: 'physnet1', distance: 0 }] })
  expect(await hostOf({ near_port: [port] })).toBe('h3')
  expect(await hostOf({ near_volume: [volume], near_port: [port] })).toBe('h2')
})

test('the explanation has the distance of the volume, and the host that reported it', async () => {
  const answer: Json = await place({ near_volume: [volume], near_port: [port] })
  const { verdict }: Json = await gantt.whyNot({ subject: { decisionId: answer.decision.id }, host: { host: 'h1' } })
  const check = verdict.checks.find(({ filter }: Json) => filter === 'PortAffinityFilter')
  expect(check).toMatchObject({ status: 'FAIL', text: 'The host has no document of the namespace network.' })
  const asked = `query ($in: WhyNotInput!) { whyNot(input: $in) { verdict { checks { filter facts { actual actualSource { ref } } } } } }`
  const { whyNot }: Json = await dataOf(api, asked, { in: { subject: { decisionId: answer.decision.id }, host: { host: 'h3' } } })
  const facts = whyNot.verdict.checks.find(({ filter }: Json) => filter === 'VolumeAffinityFilter').facts
  expect(facts.map(({ actual }: Json) => actual)).toEqual(['none', 'in pool fast, as reported about h1'])
  expect(facts[1].actualSource.ref).toMatch(/^storage, sequence 1, 20/)
  const { weighing }: Json = await gantt.explain(answer.decision.id)
  expect(weighing.hosts[0].weights).toContainEqual(expect.objectContaining({ weigher: 'VolumeAffinityWeigher', raw: -1, unit: 'distance' }))
})

test('a document that cannot be read is refused with every problem, and the earlier document stays', async () => {
  const bad = { pools: [{ uuid: 'no', name: 'fast', distance: 100 }], size: 1 }
  const result: Json = await reportStats('h1', 'storage', bad)
  const at = ['input', 'updates', '0', 'report', 'namespace', 'document']
  expect(result.__typename).toBe('ValidationError')
  expect(result.issues.map(({ path }: Json) => path)).toEqual(
    expect.arrayContaining([
      [...at, 'size'],
      [...at, 'pools', '0', 'uuid'],
      [...at, 'pools', '0', 'distance'],
    ]),
  )
  const other: Json = await reportStats('h1', 'storage', storage(0), '9.0')
  expect(other.issues).toMatchObject([{ path: ['input', 'updates', '0', 'report', 'namespace', 'version'], expected: '1.0' }])
  expect(await hostOf({ near_volume: [volume] })).toBe('h1')
  // a document in a namespace that no plug-in reads is refused
  const unknown: Json = await reportStats('h1', 'cinder', bad)
  expect(unknown.issues).toMatchObject([{ path: ['input', 'updates', '0', 'report', 'namespace', 'namespace'], actual: '"cinder"' }])
  expect(unknown.issues[0].expected).toContain('storage, network, collectors, attestation')
})

test('a host lists the version, age and sequence of each document', async () => {
  const { host }: Json = await dataOf(
    api,
    '{ host(name: "h1") { namespace(name: "storage") { namespace version lastSequence reportedAt ageSeconds problem document } none: namespace(name: "network") { version } namespaces { namespace } } }',
  )
  expect(host).toMatchObject({
    namespace: { namespace: 'storage', version: '1.0', lastSequence: 1, problem: null, document: storage(0, volume) },
    none: null,
    namespaces: [{ namespace: 'storage' }],
  })
  expect(host.namespace.ageSeconds).toBeGreaterThanOrEqual(0)
  expect(host.namespace.reportedAt).toMatch(/Z$/)
})

test('hosts with an old document are refused, and reporting the same document again makes it current', async () => {
  const asked = { near_volume: [other] }
  await reportStats('h2', 'storage', storage(1, other))
  // places until the document of h2 is too old; each placement advances the time of the log
  await expect.poll(() => hostOf(asked, 'near-now').then(String), { interval: 100 }).toMatch(/unknown|stale/)
  expect(await reportStats('h2', 'storage', storage(1, other))).toMatchObject({ __typename: 'ResourceStatsApplied', unchanged: false })
  expect(await hostOf(asked, 'near-now')).toBe('h2')
})

test('concurrent calls do not claim more than a shared pool has, and the refusal has the free space and its source', async () => {
  const shared = randomUUID()
  const metadata = [{ key: 'gantt:disk_pool', value: shared }]
  await dataOf(api, 'mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }', {
    in: { name: 'shared disks', hosts: ['h1', 'h2', 'h3'], metadata },
  })
  const withDisk = (rootGb: number) =>
    gantt.selectDestinations({ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64, rootGb } } } }) as Promise<Json>
  const unreported = await withDisk(3)
  expect(unreported.reasons.map(({ code, filter }: Json) => [filter, code])).toContainEqual(['DiskPoolFilter', 'pool.not_told'])
  await reportStats('h2', 'storage', { pools: [{ uuid: shared, name: 'ceph', totalGib: 12, reservedGib: 2 }] })

  const answers = await Promise.all(Array.from({ length: 8 }, () => withDisk(3)))
  const [placed, refused] = [true, false].map((isPlaced) =>
    answers.filter((answer) => (answer.__typename === 'SelectDestinationsPayload') === isPlaced),
  ) as [Json[], Json[]]
  expect([placed.length, refused.length]).toEqual([3, 5])
  expect(refused[0].reasons.map(({ code, text }: Json) => [code, text])).toContainEqual([
    'pool.short',
    'The pool ceph has 1 GiB left; 3 GiB were requested; 2 of its 12 GiB are reserved (by the storage document of h2).',
  ])

  const asked = `query ($in: WhyNotInput!) { whyNot(input: $in) { verdict { checks { filter facts { subject required actual unit
    requiredSource { ref } actualSource { ref } terms { name value } } } } } }`
  const { whyNot }: Json = await dataOf(api, asked, { in: { subject: { decisionId: refused[0].decision.id }, host: { host: 'h3' } } })
  const [space, where] = whyNot.verdict.checks.find(({ filter }: Json) => filter === 'DiskPoolFilter').facts
  expect(space).toMatchObject({
    subject: 'ceph',
    required: '3',
    actual: '1',
    unit: 'GiB',
    requiredSource: { ref: 'flavor.rootGb + ephemeralGb + swapMb' },
  })
  expect(space.actualSource.ref).toMatch(/^storage, sequence /)
  expect(space.terms).toEqual([
    { name: 'total', value: 12 },
    { name: 'reserved', value: 2 },
    { name: 'ratio', value: 1 },
    { name: 'used', value: 0 },
    { name: 'claimed', value: 9 },
  ])
  expect(where).toMatchObject({ subject: 'gantt:disk_pool', actual: shared })

  const { claims }: Json = await dataOf(api, '{ claims(states: [RESERVED], first: 100) { nodes { id fence pools { pool gib } } } }')
  const holding = claims.nodes.filter(({ pools }: Json) => pools.length > 0)
  expect(holding.map(({ pools }: Json) => pools)).toEqual(new Array(3).fill([{ pool: shared, gib: 3 }]))
  await gantt.release([holding[0]])
  expect((await withDisk(4)).__typename).toBe('SelectDestinationsPayload')

  // a document in which the pool is smaller than the amount that is claimed from it
  const document = { pools: [{ uuid: shared, name: 'ceph', totalGib: 5 }] }
  sequence += 1
  const taken: Json = await dataOf(
    api,
    `mutation ($in: UpdateResourceStatsInput!) { updateResourceStats(input: $in) { results { ... on ResourceStatsApplied {
      warnings { code subject reported held } } } } }`,
    {
      in: {
        updates: [
          {
            name: { host: 'h2' },
            reporter: { incarnation, sequence },
            report: { namespace: { namespace: 'storage', version: '1.0', document } },
          },
        ],
      },
    },
  )
  const below = { code: 'capacity.below_claims', subject: 'disk pool ceph', reported: 5, held: 10 }
  expect(taken.updateResourceStats.results).toEqual([{ warnings: [below] }])
  const { host }: Json = await dataOf(api, '{ host(name: "h2") { warnings { code subject reported held } } }')
  expect(host.warnings).toContainEqual(below)
  expect((await withDisk(1)).reasons.map(({ text }: Json) => text)).toContainEqual(
    'The pool ceph has 0 GiB left; 1 GiB were requested; over-full by 5 GiB.',
  )
})
