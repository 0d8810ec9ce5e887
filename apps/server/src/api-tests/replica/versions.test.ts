import { randomUUID } from 'node:crypto'
import { type Change, canonicalJson, FEATURE_LEVEL, isProposal, specSchemas, statsSchemas } from '@gantt/scheduler-core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openService, type Service } from '../../service.ts'
import { codeOf, dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { verifyStoredDecisions } from '../../verify-stored-decisions.ts'

let api: TestService
let second: Service

beforeAll(async () => {
  api = await startTestService()
  second = await openOn()
  older = await openOn(2)
})
afterAll(async () => {
  await second.close()
  await api.close()
})

async function sql(text: string, values: unknown[] = []): Promise<Json[]> {
  const client = new pg.Client(api.connection)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const openOn = (featureLevel?: number): Promise<Service> =>
  openService({
    connection: api.connection,
    host: '127.0.0.1',
    port: 0,
    ...(featureLevel === undefined ? {} : { featureLevel }),
    warn: (message) => api.warnings.push(message),
  })

/** A replica that supports only changes up to feature level 2, like an older release. */
let older: Service

const logged = async (): Promise<Change[]> =>
  (await sql('SELECT body FROM log ORDER BY revision')).flatMap(({ body }) => JSON.parse(body).changes)

const levelOfLog = async (): Promise<number> => (await dataOf(api, '{ health { featureLevel } }')).health.featureLevel

const cells = [0, 1].map((id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => id * 4 + cpu), memoryMb: 32_768 }))
const newerCells = cells.map((cell) => ({
  ...cell,
  siblings: [cell.cpuset.slice(0, 2), cell.cpuset.slice(2)],
  pages: [{ sizeKib: 2_048, total: 1_024 }],
}))
const flavor = { vcpus: 2, memoryMb: 1_024 }
const plain = { flavor, numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024 }] } }
const threaded = {
  flavor,
  numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 1_024, cpuPolicy: 'dedicated', cpuThreadPolicy: 'prefer' }] },
}

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ValidationError { message issues { path rule message } } } } }`
let sequence = 1
const incarnation = randomUUID()
const full = { vcpus: 8, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
const report = (host: string, more: object) =>
  api.ask(REPORT, { u: [{ name: { host }, reporter: { incarnation, sequence: ++sequence }, report: { full: { ...full, ...more } } }] })
const resultOf = async (answer: ReturnType<typeof report>): Promise<Json> => {
  const { data, text } = await answer
  if (!data) throw new Error(text)
  return (data.updateResourceStats as Json).results[0]
}

const specOf = async (decision: string, version: string | null = null) =>
  api.ask('query ($id: ID!, $version: String) { decision(id: $id) { spec { version digest document(version: $version) } } }', {
    id: decision,
    version,
  })
const documentOf = async (decision: string, version: string | null = null): Promise<Json> => {
  const { data, text } = await specOf(decision, version)
  if (!data) throw new Error(text)
  return (data.decision as Json).spec.document
}
const statsOf = (host: string, version: string | null = null) =>
  api.ask('query ($host: String!, $version: String) { host(name: $host) { stats(version: $version) } }', { host, version })

describe('while a replica of an older release runs', () => {
  const key = randomUUID()

  test('changes that the older replica supports are written in the form of its release', async () => {
    for (const host of ['h1', 'h2'])
      expect(await resultOf(report(host, { numaCells: cells, version: '1.0' }))).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(await resultOf(report('h2', { numaCells: cells, vcpusUsed: 1 }))).toMatchObject({ __typename: 'ResourceStatsApplied' })
    const placed = await placeWith(api, { idempotencyKey: key, claim: { mode: 'CONFIRM' } }, { ...plain, version: '1.0' })
    expect(placed).toMatchObject({ __typename: 'SelectDestinationsPayload', replayed: false })
    const { claim } = placed.destinations[0].selected
    const moved = await placeWith(api, { intent: 'LIVE_MIGRATE', moveOf: { id: claim.id, fence: claim.fence } }, plain)
    expect(moved.__typename).toBe('SelectDestinationsPayload')
    expect(await levelOfLog()).toBe(2)
    const changes = await logged()
    const reports = changes.flatMap((change) => (change.type === 'report' ? [change.full] : []))
    const requests = changes.filter(isProposal).map(({ decision }) => decision.request)
    expect([reports.length, requests.length]).toEqual([3, 2])
    for (const document of reports) expect(statsSchemas['1.0'].parse(document)).toEqual(document)
    for (const document of requests) expect(specSchemas['1.0'].parse(document)).toEqual(document)
  })

  test('a call that is repeated with its key gets the same answer even if its request states another version', async () => {
    for (const version of ['1.0', '1.1', null])
      expect(await placeWith(api, { idempotencyKey: key, claim: { mode: 'CONFIRM' } }, { ...plain, version })).toMatchObject({
        replayed: true,
      })
  })

  test.each<[string, () => Promise<Json>]>([
    ['a request', () => api.ask(SELECT, { in: { idempotencyKey: randomUUID(), spec: { gantt: threaded } } })],
    ['a report', () => report('h1', { numaCells: newerCells })],
  ])('%s that the older replica does not support is refused, and the error names that replica', async (_name, ask) => {
    const before = (await logged()).length
    const answer = await ask()
    expect([answer.status, codeOf(answer)]).toEqual([503, 'FEATURE_LEVEL'])
    expect(answer.errors[0]?.extensions).toMatchObject({ replica: older.replica.name, reads: 2, needs: 3, retryable: true })
    expect([await levelOfLog(), (await logged()).length]).toEqual([2, before])
  })

  test('an older replica follows the log, and a change that needs a higher level than its own is refused', async () => {
    expect(await older.replica.reached(api.service.replica.fleet.place.revision, 10_000)).toBe(true)
    const newer = {
      type: 'rollout',
      name: 'default',
      expected: { active: 1, version: 0 },
      active: 1,
      past: [],
      rolledBack: [],
      rollout: null,
    } as const
    await expect(older.replica.propose([newer])).rejects.toMatchObject({ replica: older.replica.name, reads: 2, needs: 4 })
  })
})

describe('once every replica supports the newer level', () => {
  let newer: Json
  let plainly: Json

  beforeAll(async () => {
    await older.close()
    expect(
      await resultOf(
        report('h1', {
          numaCells: newerCells,
          pciPools: [{ vendorId: '8086', productId: '10ed', tags: [{ key: 'a', value: 'b' }], total: 2 }],
        }),
      ),
    ).toMatchObject({ __typename: 'ResourceStatsApplied' })
    plainly = await placeWith(api, {}, { ...plain, forceHosts: ['h1'] })
    newer = await placeWith(
      api,
      { claim: { mode: 'CONFIRM' } },
      {
        ...threaded,
        forceHosts: ['h1'],
        forceVerify: 'HARD',
        pciRequests: [{ count: 1, specs: [{ properties: [{ key: 'vendor_id', value: '8086' }] }] }],
      },
    )
  })

  test('a request in version 1.1 raises the level of the log, and the other replica continues', async () => {
    expect(newer.__typename).toBe('SelectDestinationsPayload')
    // The log first had the level of the older replica, and then the level that the request needs. After that, a decision can have raised
    // the level further.
    const levels = (await logged()).flatMap((change) => (change.type === 'feature' ? [change.level] : []))
    expect(levels.slice(0, 2)).toEqual([2, 3])
    expect(await second.replica.reached(api.service.replica.fleet.place.revision, 10_000)).toBe(true)
    const states = [api.service, second].map(({ replica }) => canonicalJson(replica.fleet.hosts.records.map(({ stats }) => stats)))
    expect(states[0]).toBe(states[1])
    expect(second.replica.halted).toBeUndefined()
  })

  test('the older replica does not start on the newer log, and the error states the level of the log and its own limit', async () => {
    const entry = (await sql('SELECT revision, body FROM log ORDER BY revision')).find(({ body }) => body.includes('"feature","level":3'))
    await expect(openOn(2)).rejects.toThrow(
      `entry ${entry?.revision} raises the feature level to 3; this replica is held at level 2, and its release reads ${FEATURE_LEVEL}`,
    )
  })

  test('a change without new fields is written in the older form', async () => {
    const [last] = (await logged()).filter(isProposal).slice(-2)
    expect(last?.decision.request.version).toBe('1.0')
    expect(await documentOf(plainly.decision.id)).toMatchObject({ version: '1.0' })
  })

  test('a request is returned in the version that the caller selects, if the version can express it', async () => {
    expect(await documentOf(plainly.decision.id, '1.1')).toMatchObject({ version: '1.1', forceVerify: 'ALL', pciRequests: [], nova: null })
    const kept = await documentOf(newer.decision.id)
    expect(kept).toMatchObject({
      version: '1.1',
      forceVerify: 'HARD',
      pciRequests: [{ count: 1, specs: [{ vendor_id: '8086' }] }],
      nova: null,
    })
    expect(await documentOf(newer.decision.id, '1.1')).toEqual(kept)
    const lacking = await specOf(newer.decision.id, '1.0')
    expect([lacking.status, codeOf(lacking)]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED'])
    const issues = lacking.errors[0]?.extensions.issues as Json
    expect(issues.map(({ rule, path }: Json) => [rule, path.join('.')])).toEqual([
      ['spec.newer_field', 'version.pciRequests'],
      ['spec.newer_field', 'version.forceVerify'],
      ['spec.newer_field', 'version.numaTopology.cells.0.cpuThreadPolicy'],
    ])
    expect(issues[1].message).toBe('version.forceVerify is "HARD"; version 1.0 can only express ALL')
    expect(codeOf(await specOf(newer.decision.id, '2.0'))).toBe('GRAPHQL_VALIDATION_FAILED')
  })

  test('the report of a host is returned in the requested version', async () => {
    const stats = async (host: string, version: string | null = null): Promise<Json> => {
      const found: Json = (await statsOf(host, version)).data?.host
      return found.stats
    }
    expect(await stats('h2')).not.toHaveProperty('version')
    expect(await stats('h2', '1.1')).toMatchObject({ version: '1.1', vcpusUsed: 1, pciPools: [], nova: null })
    expect(await stats('h1')).toMatchObject({
      version: '1.1',
      pciPools: [{ vendorId: '8086', tags: { a: 'b' }, used: null }],
      numaCells: newerCells,
    })
    const lacking = await statsOf('h1', '1.0')
    expect(codeOf(lacking)).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(lacking.errors[0]?.extensions).toMatchObject({ rule: 'stats.newer_field', path: ['version', 'pciPools'] })
  })

  test('a document with a field that its version lacks is refused with the path of the field, and so is a repeated tag', async () => {
    expect(await placeWith(api, {}, { ...threaded, version: '1.0' })).toMatchObject({
      __typename: 'ValidationError',
      issues: [{ rule: 'spec.unknown_field', path: ['input', 'spec', 'gantt', 'numaTopology', 'cells', '0', 'cpuThreadPolicy'] }],
    })
    expect(await placeWith(api, {}, { version: '3.0' })).toMatchObject({ issues: [{ rule: 'spec.unknown_version' }] })
    expect(await resultOf(report('h1', { version: '3.0' }))).toMatchObject({ issues: [{ rule: 'stats.unknown_version' }] })
    const tag = { key: 'a', value: 'b' }
    const pool = { vendorId: '8086', productId: '1', tags: [tag, tag], total: 1 }
    expect(await resultOf(report('h1', { pciPools: [pool] }))).toMatchObject({
      issues: [{ rule: 'call.repeated', path: ['input', 'updates', '0', 'report', 'full', 'pciPools', '0', 'tags', '1', 'key'] }],
    })
  })

  test('a delta to a document from Nova is answered with a request for a full report', async () => {
    const data = {
      host: 'h2',
      vcpus: 8,
      vcpus_used: 0,
      memory_mb: 65_536,
      memory_mb_used: 0,
      local_gb: 1_024,
      local_gb_used: 0,
      free_disk_gb: 1_024,
    }
    const computeNode = { 'nova_object.name': 'ComputeNode', 'nova_object.version': '1.19', 'nova_object.data': data }
    const inNovasWords = { name: { host: 'h2' }, reporter: { incarnation, sequence: ++sequence }, report: { nova: computeNode } }
    expect(await resultOf(api.ask(REPORT, { u: [inNovasWords] }))).toMatchObject({ __typename: 'ResourceStatsApplied' })
    const last = sequence
    const delta = api.ask(REPORT, {
      u: [
        { name: { host: 'h2' }, reporter: { incarnation, sequence: ++sequence }, report: { delta: { baseSequence: last, vcpusUsed: 2 } } },
      ],
    })
    expect(await resultOf(delta)).toMatchObject({ __typename: 'ResourceStatsNeedFull' })
  })

  test('decisions of both versions can be replayed, bit for bit', async () => {
    const { checked, differences } = await verifyStoredDecisions(api.connection)
    expect(differences).toEqual([])
    expect(checked).toBeGreaterThan(3)
  })
})

const SELECT = 'mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }'
