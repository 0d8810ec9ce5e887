import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkpointOf, digestPart, FEATURE_LEVEL, levelOf, partsOf } from '@gantt/scheduler-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../testing/test-service.ts'

// Two replicas on one log. The first has plug-ins with namespaces, one trusted and one in a thread, and several with faulty schemas. The
// second has no plug-ins.

const door = fileURLToPath(new URL('../../../../packages/scheduler-core/dist/plugin/index.js', import.meta.url))
const watts = 'z.strictObject({ freeWatts: z.int().min(0), feed: z.string().optional() })'

const namespace = (name: string, document: string) =>
  `{ name: '${name}', description: 'd', version: '1.0', maxAgeSeconds: 60, units: { freeWatts: 'W' }, document: ${document} }`
const moduleOf = (name: string, namespaces: string, parts = '') => `import { z } from ${JSON.stringify(`file://${door}`)}
export default { contract: 1, name: '${name}', version: '1.0.0', description: 'd', namespaces: [${namespaces}], ${parts} }`

const parts = (noun: string, ns: string) => `
  filters: [{ name: '${noun}Filter', description: 'd', reads: ['${ns}.freeWatts'], prepare: (request, fleet) => {
    const free = (host) => fleet.hosts.get(host).namespaces.get('${ns}').document.freeWatts
    return { passes: (host) => free(host) >= 100, reason: (host) => ({ code: 'filter.refused', subject: 'power', need: 100, have: free(host), unit: 'W' }) } } }],
  weighers: [{ name: '${noun}Weigher', description: 'd', unit: 'W', reads: ['${ns}.freeWatts'], prepare: (request, fleet) => (host) =>
    fleet.hosts.get(host).namespaces.get('${ns}').document.freeWatts }]`

/** A schema that looks valid, but checks a document with this faulty function. */
const odd = (safeParse: string) => `Object.assign(z.looseObject({}), { safeParse: (given) => { ${safeParse} } })`
const hostile: Readonly<Record<string, { readonly document: string; readonly says: RegExp }>> = {
  throws: { document: odd("throw new Error('no schema')"), says: /plug-in .*throws\.mjs: no schema/ },
  loops: { document: odd('for (;;);'), says: /plug-in .*loops\.mjs: it did not answer in 1000 ms/ },
  nonsense: { document: odd("return 'yes'"), says: /plug-in .*nonsense\.mjs: safeParse returned "yes"; it must return success, or issues/ },
  promises: { document: odd('return Promise.resolve({ success: true })'), says: /safeParse returned a promise/ },
  leaves: { document: odd('process.exit(3)'), says: /plug-in .*leaves\.mjs: its thread ended by itself with code 3/ },
}
const mutating = odd("for (const key of Object.keys(given)) delete given[key]; given.freeWatts = 'lots'; return { success: true }")

let folder: string
let database: TestDatabase
let api: TestService
let without: TestService

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-namespaces-'))
  const files = {
    ...{ power: moduleOf('power', namespace('power', watts), parts('Watts', 'power')) },
    ...{ grid: moduleOf('grid', namespace('grid', watts), parts('Grid', 'grid')) },
    ...{ mutates: moduleOf('mutates', namespace('mutates', mutating)) },
    ...Object.fromEntries(Object.entries(hostile).map(([name, { document }]) => [name, moduleOf(name, namespace(name, document))])),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, `${name}.mjs`), text)
  database = await createTestDatabase()
  api = await startTestService({
    database,
    // every other plug-in runs in the process, so that both modes are tested
    plugins: Object.keys(files).map((name, i) => ({ from: path.join(folder, `${name}.mjs`), mode: i % 2 === 0 ? 'TRUSTED' : 'ISOLATED' })),
    pluginTimeoutMs: 1_000,
  })
  without = await startTestService({ database })
  await api.report({ a: {}, b: {}, c: {} })
})

afterAll(async () => {
  await without?.close()
  await api?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ValidationError { message issues { rule path message } } } } }`
let sequence = 1
const incarnation = randomUUID()
const updateOf = (host: string, name: string, document: unknown, version = '1.0') => ({
  ...{ name: { host }, reporter: { incarnation, sequence: ++sequence } },
  report: { namespace: { namespace: name, version, document } },
})
const reportStats = async (...updates: Json[]): Promise<Json[]> => (await dataOf(api, REPORT, { u: updates })).updateResourceStats.results
const heldOf = async (service: TestService, host: string, name: string): Promise<Json> =>
  (
    await dataOf(service, 'query ($h: String!, $n: String!) { host(name: $h) { namespace(name: $n) { document problem lastSequence } } }', {
      h: host,
      n: name,
    })
  ).host.namespace
const createProfile = async (name: string, filters: readonly Json[], weighers: readonly Json[] = []) =>
  expect(
    await dataOf(
      api,
      `mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename
        ... on ValidationError { issues { message } } } }`,
      { name, input: { note: '', filters, weighers } },
    ),
  ).toEqual({ profileVersionCreate: { __typename: 'ProfilePayload' } })

test('while a replica of a release with level 6 runs, reports and profiles that it does not support are refused, and the error names that replica', async () => {
  const old = await createTestDatabase()
  const older = await startTestService({ database: old, featureLevel: 6 })
  await older.report({ a: {} })
  const newer = await startTestService({ database: old, plugins: [{ from: path.join(folder, 'power.mjs'), mode: 'TRUSTED' }] })
  const input = { note: '', filters: [{ name: 'WattsFilter' }], weighers: [] }
  const answers = [
    await newer.ask(REPORT, { u: [updateOf('a', 'power', { freeWatts: 1 })] }),
    await newer.ask('mutation ($input: ProfileVersionInput!) { profileVersionCreate(profile: "watts", input: $input) { __typename } }', {
      input,
    }),
  ]
  for (const { errors } of answers)
    expect(errors[0]?.extensions).toMatchObject({ code: 'FEATURE_LEVEL', replica: older.service.replica.name, reads: 6, needs: 7 })
  await newer.close()
  await older.close()
  await old.drop()
})

describe.each([
  ['trusted', 'power', 'Watts'],
  ['in a thread', 'grid', 'Grid'],
])('a namespace of a plug-in that is %s', (_way, name, noun) => {
  test('a namespace of a plug-in is listed with its schema', async () => {
    const { plugins } = await dataOf(
      api,
      '{ plugins { name parts { kind name document { version schema maxAgeSeconds units { field unit } } } } }',
    )
    const part = plugins.find((one: Json) => one.name === name).parts.find(({ kind }: Json) => kind === 'NAMESPACE')
    expect(part).toMatchObject({
      name,
      document: { version: '1.0', maxAgeSeconds: 60, units: [{ field: 'freeWatts', unit: 'W' }], schema: { required: ['freeWatts'] } },
    })
  })

  test('a namespace stores documents that its schema accepts, and nothing of other documents', async () => {
    const results = await reportStats(
      updateOf('a', name, { freeWatts: 500 }),
      updateOf('b', name, { freeWatts: 50 }),
      updateOf('c', name, { freeWatts: -1, color: 'red' }),
    )
    expect(results.map(({ __typename }) => __typename)).toEqual(['ResourceStatsApplied', 'ResourceStatsApplied', 'ValidationError'])
    expect(results[2].issues.map(({ rule, path }: Json) => [rule, path.join('.')])).toEqual(
      expect.arrayContaining([['stats.invalid', 'input.updates.2.report.namespace.document.freeWatts']]),
    )
    const [wrong, version, list] = await reportStats(
      updateOf('a', name, { freeWatts: 'many' }),
      updateOf('a', name, { freeWatts: 1 }, '2.0'),
      updateOf('a', name, [1]),
    )
    expect([wrong?.__typename, version?.issues[0].rule, list?.issues[0].rule]).toEqual([
      'ValidationError',
      'stats.unknown_version',
      'stats.invalid',
    ])
    expect(await heldOf(api, 'a', name)).toMatchObject({ document: { freeWatts: 500 }, problem: null })
  })

  test('filters and weighers read a namespace, and hosts without a document or with an old one are refused with a message', async () => {
    await createProfile(name, [{ name: `${noun}Filter` }], [{ name: `${noun}Weigher`, multiplier: 1 }])
    const placed = await placeWith(api, { profile: name, deadline: 'PT5S' })
    expect(placed.destinations[0].selected.host.name).toBe('a')
    const refused = await placeWith(api, { profile: name, deadline: 'PT5S' }, { forceHosts: ['b', 'c'], forceVerify: 'ALL' })
    expect(refused.reasons.map(({ code, text }: Json) => [code, text])).toEqual(
      expect.arrayContaining([
        ['filter.refused', 'power: 100 W needed, 50 here.'],
        ['namespace.not_reported', `The host has no document of the namespace ${name}.`],
      ]),
    )
    const { verifyDecision } = await dataOf(api, 'query ($id: ID!) { verifyDecision(id: $id) { outcome fidelity } }', {
      id: placed.decision.id,
    })
    expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
    const { requiredStats } = await dataOf(api, '{ requiredStats { namespaces { namespace fields { field neededBy { part } } } } }')
    expect(requiredStats.namespaces.find(({ namespace: of }: Json) => of === name).fields).toEqual([
      { field: 'freeWatts', neededBy: [{ part: `${noun}Filter` }, { part: `${noun}Weigher` }] },
    ])
  })
})

test('a replica without the plug-in refuses reports in its namespaces, and lists these namespaces', async () => {
  const { updateResourceStats } = await dataOf(without, REPORT, { u: [updateOf('a', 'power', { freeWatts: 1 })] })
  expect(updateResourceStats.results[0].issues[0]).toMatchObject({
    rule: 'stats.unknown_namespace',
    message: expect.stringMatching(
      /namespace is "power"; it must be a namespace that this replica knows: storage, network, collectors, attestation. Plug-ins/,
    ),
  })
})

test('a replica without the plug-in never says to a reporter that a namespace is not read', async () => {
  const mutation = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
    ... on ResourceStatsApplied { required { namespaces { namespace omittable } } } } } }`
  const states = ['power', 'attestation'].map((of) => ({ name: of, namespace: of, state: 'PAUSED', since: '2026-11-20T12:00:00.000Z' }))
  const answerOf = async (service: TestService): Promise<Json> => {
    await service.service.replica.fresh()
    const { updateResourceStats } = await dataOf(service, mutation, { u: [updateOf('c', 'collectors', { collectors: states })] })
    const { namespaces } = updateResourceStats.results[0].required
    const find = (name: string): Json => namespaces.find(({ namespace: of }: Json) => of === name)
    return { power: find('power') !== undefined, attestation: find('attestation') !== undefined, omittable: find('compute').omittable }
  }
  // the profiles `power` and `grid` of the tests above are in use
  const known = await answerOf(api)
  expect(known).toMatchObject({ power: true, attestation: false })
  expect(known.omittable).not.toEqual([])
  expect(await answerOf(without)).toEqual({ power: true, attestation: true, omittable: [] })
  const { requiredStats } = await dataOf(
    without,
    '{ requiredStats { namespaces { namespace fields { field neededBy { profile part } } } } }',
  )
  const [attestation] = requiredStats.namespaces.filter(({ namespace: of }: Json) => of === 'attestation')
  expect(attestation.fields).toEqual([{ field: '*', neededBy: expect.arrayContaining([{ profile: 'power@1', part: 'WattsFilter' }]) }])
})

test('a replica without the plug-in stores documents that another replica accepted, and both replicas have the same state', async () => {
  const [one, other] = [api, without].map(({ service }) => service.replica)
  if (one === undefined || other === undefined) throw new Error('two replicas are needed')
  await other.fresh()
  await one.fresh()
  expect(other.fleet.place).toEqual(one.fleet.place)
  const digestsOf = ({ fleet }: typeof one) => Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part))
  expect(digestsOf(other)).toEqual(digestsOf(one))
  expect(checkpointOf(other.fleet)).toEqual(checkpointOf(one.fleet))
  expect(await heldOf(without, 'a', 'power')).toMatchObject({ document: { freeWatts: 500 } })
  expect([one.fleet.featureLevel, levelOf({ type: 'namespace', namespace: 'power' } as Parameters<typeof levelOf>[0])]).toEqual([
    FEATURE_LEVEL,
    7,
  ])
})

describe('a faulty schema of a plug-in', () => {
  test.each(Object.entries(hostile))(
    "if a schema is faulty (%s), the document is refused with the plug-in's name, nothing is lost, and the service continues",
    async (name, { says }) => {
      const [refused, taken] = await reportStats(updateOf('a', name, { freeWatts: 1 }), updateOf('a', 'power', { freeWatts: 700 }))
      expect(refused?.issues).toMatchObject([{ rule: 'stats.unchecked', message: expect.stringMatching(says) }])
      expect(taken).toEqual({ __typename: 'ResourceStatsApplied' })
      expect(await heldOf(api, 'a', name)).toBeNull()
      const { plugins } = await dataOf(api, '{ plugins { name failureCount lastFailure { part } } }')
      const { failureCount, lastFailure } = plugins.find((one: Json) => one.name === name)
      expect([failureCount > 0, lastFailure.part]).toEqual([true, name])
    },
  )

  test('a schema that changes its input changes only a copy', async () => {
    expect(await reportStats(updateOf('a', 'mutates', { freeWatts: 7 }))).toEqual([{ __typename: 'ResourceStatsApplied' }])
    expect(await heldOf(api, 'a', 'mutates')).toMatchObject({ document: { freeWatts: 7 } })
  })
})
