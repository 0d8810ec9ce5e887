import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { dataOf, type Json, startTestService, type TestService } from '../testing/test-service.ts'

// Two replicas on one log, of which the second has a newer version of a plug-in: its filter reads another namespace, and the schema and the
// version of the documents differ.

const door = fileURLToPath(new URL('../../../../packages/scheduler-core/dist/plugin/index.js', import.meta.url))
const pluginOf = (version: string, reads: string, namespaces: Readonly<Record<string, readonly [version: string, schema: string]>>) => `
import { z } from ${JSON.stringify(`file://${door}`)}
export default { contract: 1, name: 'watts', version: '${version}', description: 'd',
  namespaces: [${Object.entries(namespaces)
    .map(
      ([name, [of, schema]]) =>
        `{ name: '${name}', description: 'd', version: '${of}', maxAgeSeconds: 60, document: z.strictObject(${schema}) }`,
    )
    .join(', ')}],
  filters: [{ name: 'WattsFilter', description: 'd', reads: ['${reads}'], prepare: () => ({ passes: () => true, reason: () => ({ code: 'filter.refused' }) }) }] }`

let folder: string
let database: TestDatabase
let older: TestService
let newer: TestService | undefined
const startWith = (version: string): Promise<TestService> =>
  startTestService({ database, plugins: [{ from: path.join(folder, `${version}.mjs`), mode: 'TRUSTED' }] })

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-two-versions-'))
  const watts = '{ watts: z.int() }'
  await writeFile(path.join(folder, '1.mjs'), pluginOf('1.0.0', 'power.watts', { power: ['1.0', watts], feeds: ['1.0', watts] }))
  await writeFile(
    path.join(folder, '2.mjs'),
    pluginOf('2.0.0', 'grid.watts', { power: ['2.0', '{ kilowatts: z.int() }'], grid: ['1.0', watts] }),
  )
  database = await createTestDatabase()
  older = await startWith('1')
  await older.report({ a: {} })
  const since = new Date().toISOString()
  const collectors = ['power', 'feeds', 'grid'].map((namespace) => ({ name: namespace, namespace, state: 'PAUSED', since }))
  expect(await report(older, 'collectors', { collectors })).toEqual(['ResourceStatsApplied'])
  const input = { note: '', filters: [{ name: 'WattsFilter' }], weighers: [] }
  const CREATE = 'mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "watts", input: $input) { __typename } }'
  expect(await dataOf(older, CREATE, { input })).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })
})

afterAll(async () => {
  await newer?.close()
  await older?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Reports a document about the host a, and returns the result. */
async function report(service: TestService, namespace: string, document: Json, version = '1.0'): Promise<readonly string[]> {
  const REPORT = 'mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename } } }'
  const reporter = { incarnation: randomUUID(), sequence: 1 }
  const u = [{ name: { host: 'a' }, reporter, report: { namespace: { namespace, version, document } } }]
  return (await dataOf(service, REPORT, { u })).updateResourceStats.results.map(({ __typename }: Json) => __typename)
}
/** The namespaces that a replica asks the host a for, besides those of the release. */
async function askedBy(service: TestService): Promise<readonly string[]> {
  const { requiredStats } = await dataOf(service, '{ requiredStats(host: { host: "a" }) { namespaces { namespace } } }')
  const own = ['compute', 'storage', 'network', 'attestation']
  return requiredStats.namespaces.map(({ namespace }: Json) => namespace).filter((name: string) => !own.includes(name))
}

test('while two replicas have two versions of a plug-in, each asks for everything that the host could send', async () => {
  expect(await askedBy(older)).toEqual(['power'])
  newer = await startWith('2')
  // each replica learns of the other one by its sign of life
  await expect.poll(() => newer && askedBy(newer)).toEqual(expect.arrayContaining(['power', 'feeds', 'grid']))
  await expect.poll(() => askedBy(older)).toEqual(expect.arrayContaining(['power', 'feeds', 'grid']))
  // a replica takes only documents of the version that it knows
  expect([await report(older, 'power', { watts: 1 }), await report(newer, 'power', { watts: 1 })]).toEqual([
    ['ResourceStatsApplied'],
    ['ValidationError'],
  ])
  // the document that one of them took is not lost by the refusal of the other one, which learns of it from the log
  const HELD = '{ host(name: "a") { namespace(name: "power") { version document } } }'
  const heldBy = async (service: TestService) => (await dataOf(service, HELD)).host.namespace
  await expect.poll(() => newer && heldBy(newer)).toEqual({ version: '1.0', document: { watts: 1 } })
  await newer.close()
  newer = undefined
  await expect.poll(() => askedBy(older)).toEqual(['power'])
})
