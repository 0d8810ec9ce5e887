import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { at, livenessStates } from '@gantt/scheduler-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../testing/test-service.ts'
import { verifyStoredDecisions } from '../verify-stored-decisions.ts'
import { findProvider } from './find-provider.ts'
import { openPlugins } from './open-plugins.ts'
import { readPluginSettings } from './settings.ts'

const about = (name: string, body: string) => `export default {
  contract: 1, name: '${name}', version: '1.0.0', description: 'Of a test.', filters: [], weighers: [], ${body} }`
const filter = (name: string, passes: string) =>
  `{ name: '${name}', description: 'Of a test.', reads: ['memoryMb'],
     prepare: (_request, { hosts }) => ({ passes: (host) => { ${passes} }, reason: () => ({ code: 'filter.refused', subject: 'name', need: 'b', have: 'a' }) }) }`
const weigher = (name: string, raw: string) =>
  `{ name: '${name}', description: 'Of a test.', unit: 'points', reads: [], prepare: (_request, { hosts }) => (host) => { ${raw} } }`

/** The source text of a scheduler whose function `select` has this body. */
const scheduler = (name: string, select: string) =>
  `{ name: '${name}', description: 'Of a test.', create: () => ({ select: (request, { hosts }) => { ${select} } }) }`
const TAKES_LAST = "const { host, node } = hosts.records.at(-1); return { parts: [{ claim: '', instance: null, host, node, grants: {} }] }"

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-plugins-'))
  const files = {
    'named.mjs': about(
      'named',
      `filters: [${filter('NamedFilter', "return hosts.get(host).host === 'b'")}, ${filter('FirstFilter', 'return host === 0')}],
       weighers: [${weigher('NamedWeigher', "return hosts.get(host).host === 'b' ? 7 : 3")}], schedulers: [${scheduler('last', TAKES_LAST)}]`,
    ),
    'hostile.mjs': about(
      'hostile',
      `filters: [${filter('ThrowingFilter', "throw new Error('no')")}, ${filter('PromisingFilter', "return Promise.reject(new Error('later'))")},
         ${filter('MumblingFilter', 'return false').replace("have: 'a'", "have: 'a\\u0000'")}],
       weighers: [${weigher('NaNWeigher', 'return NaN')}],
       schedulers: [${scheduler('thrower', "throw new Error('no\\u0000')")}, ${scheduler('blind', TAKES_LAST)},
         ${scheduler('later', "return Promise.reject(new Error('later'))")}]`,
    ),
    'node_modules/by-name/package.json': JSON.stringify({
      name: 'by-name',
      version: '1.0.0',
      exports: { '.': { import: './lib/in.js' } },
      type: 'module',
    }),
    'node_modules/by-name/lib/in.js': about('by-name', `filters: [${filter('OtherFilter', 'return true')}]`),
    'plain/package.json': JSON.stringify({ name: 'plain', version: '1.0.0', main: 'gone.js' }),
    'leases.mjs': about(
      'leases',
      `leaseProviders: [{ name: 'boards', description: 'Of a test.', open: () => ({ list: () => Promise.reject(new Error('away')) }) }]`,
    ),
    'broken.mjs': 'export default {',
    'nothing.mjs': 'export const plugin = 1',
    'other.mjs': about('other', 'contract: 9'),
    'kinds.mjs': about('kinds', 'resourceKinds: [{}]'),
    'clash.mjs': about('clash', `filters: [${filter('RamFilter', 'return true')}]`),
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const open = (setting: string) => openPlugins(readPluginSettings(setting), { warn: () => undefined, now: () => 0, from: folder })

describe('the plug-ins in the setting', () => {
  test('a plug-in is found by absolute path, by relative path and by the name of a package', async () => {
    const opened = await open(`trusted:${path.join(folder, 'named.mjs')}, trusted:./hostile.mjs,trusted:by-name,trusted:leases.mjs`)
    expect(opened.plugins.list.map(({ name }) => name)).toEqual(['named', 'hostile', 'by-name', 'leases'])
    await opened.close()
  })

  test.each([
    ['trusted:./gone.mjs', /^plug-in \.\/gone\.mjs could not be loaded from .*gone\.mjs: ENOENT.* \(plugin\.not_loaded\)\.$/],
    [
      'trusted:no-such-package',
      /^plug-in no-such-package could not be loaded as a package from .*: no node_modules folder in that folder or above it contains the package/,
    ],
    ['trusted:./plain', /^plug-in \.\/plain could not be loaded from .*gone\.js/],
    ['trusted:./broken.mjs', /^plug-in \.\/broken\.mjs could not be loaded from file:/],
    ['trusted:./nothing.mjs', /exports plugin; its default export must be what definePlugin returns \(plugin\.no_export\)\.$/],
    ['trusted:./other.mjs', /contract is 9; it must be 1, which this release has \(plugin\.contract\)/],
    ['trusted:./kinds.mjs', /all replicas must agree on what a claim holds.* \(plugin\.resource_kind\)/],
    ['trusted:./clash.mjs', /RamFilter of plug-in clash has the name of a part of this release.* \(plugin\.clash\)/],
    [
      './named.mjs',
      /^plug-in \.\/named\.mjs has schedulers; an isolated plug-in must have none, or be listed as trusted:\.\/named\.mjs \(plugin\.invalid\)\.$/,
    ],
    ['trusted:./named.mjs,trusted:./named.mjs', /a second plug-in is named "named"/],
  ])('%s is refused', async (setting, message) => expect(open(setting)).rejects.toThrow(message))
})

test('a service that is set to an unknown lease provider lists the known ones', async () => {
  const { loaded, close } = await open('trusted:./leases.mjs')
  expect(findProvider(loaded, 'static')).toBeUndefined()
  expect(findProvider(loaded, 'boards')?.provider.name).toBe('boards')
  expect(() => findProvider(loaded, 'gone')).toThrow(
    'GANTT_LIVENESS is gone, which no plug-in provides; it must be one of static, reports, boards (plugin.not_loaded).',
  )
  await close()
})

describe('a service with a lease provider that fails', () => {
  test('the service starts, leaves its hosts unchanged, and reports the failure of the provider', async () => {
    const database = await createTestDatabase()
    const api = await startTestService({
      database,
      plugins: readPluginSettings(`trusted:${folder}/leases.mjs`),
      liveness: { source: 'boards', suspectAfterMs: 1, downAfterMs: 2, checkIntervalMs: 0 },
    })
    await api.report({ a: {}, b: {}, c: {} })
    for (let looks = 0; looks < 3; looks++) await expect(api.service.watcher.look()).rejects.toThrow('list: away')
    const { liveness, plugins } = await dataOf(
      api,
      '{ liveness { source } plugins { parts { kind name } failureCount lastFailure { part message } } }',
    )
    const { hosts } = api.service.replica.fleet
    expect(hosts.records.map(({ index }) => livenessStates[at(hosts.columns.liveness, index)])).toEqual(['UP', 'UP', 'UP'])
    expect(liveness.source).toBe('boards')
    expect(plugins).toEqual([
      { parts: [{ kind: 'LEASE_PROVIDER', name: 'boards' }], failureCount: 3, lastFailure: { part: 'boards', message: 'list: away' } },
    ])
    await api.close()
    await database.drop()
  })
})

describe('a service with plug-ins', () => {
  let database: TestDatabase
  let api: TestService
  let placed: Json

  beforeAll(async () => {
    database = await createTestDatabase()
    api = await startTestService({ database, plugins: readPluginSettings(`trusted:${folder}/named.mjs,trusted:${folder}/hostile.mjs`) })
    await api.report({ a: {}, b: {} })
    for (const [name, filters, weighers] of [
      ['named', ['NamedFilter'], ['NamedWeigher']],
      ['throwing', ['ThrowingFilter'], []],
      ['promising', ['PromisingFilter'], []],
      ['mumbling', ['MumblingFilter'], []],
      ['nan', [], ['NaNWeigher']],
    ] as const)
      expect(await createProfile(name, filters, weighers)).toMatchObject({ __typename: 'ProfilePayload' })
    for (const [name, schedulerName, filters] of [
      ['by-last', 'last', []],
      ['by-thrower', 'thrower', []],
      ['by-later', 'later', []],
      ['by-blind', 'blind', ['FirstFilter']],
    ] as const)
      expect(await createProfile(name, filters, [], { schedulerName })).toMatchObject({ __typename: 'ProfilePayload' })
    placed = await placeWith(api, { profile: 'named' })
  })

  afterAll(async () => {
    await api?.close()
    await database?.drop()
  })

  const createProfile = async (name: string, filters: readonly string[], weighers: readonly string[], more: Json = {}) =>
    (
      await dataOf(
        api,
        `mutation ($name: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $name, input: $input) { __typename
          ... on ValidationError { issues { message } } } }`,
        {
          name,
          input: {
            note: '',
            filters: filters.map((name) => ({ name })),
            weighers: weighers.map((name) => ({ name, multiplier: 1 })),
            ...more,
          },
        },
      )
    ).profileVersionCreate

  const DECISION = `query ($id: ID!) { decision(id: $id) { plugins { name version }
      explanation { fidelity steps { name passed reasons { code text } } } }
    verifyDecision(id: $id) { outcome fidelity }
    profile(name: "named") { active { filters { name description reads } weighers { name description } } } }`

  test('the API lists each plug-in with its filters, weighers and schedulers', async () => {
    const { plugins } = await dataOf(api, '{ plugins { name version mode parts { kind name description reads unit parameters } } }')
    expect(plugins[0]).toMatchObject({
      ...{ name: 'named', version: '1.0.0', mode: 'TRUSTED' },
      parts: [
        { kind: 'FILTER', name: 'NamedFilter', description: 'Of a test.', reads: ['memoryMb'], unit: null, parameters: null },
        { kind: 'FILTER', name: 'FirstFilter' },
        { kind: 'WEIGHER', name: 'NamedWeigher', unit: 'points' },
        { kind: 'SCHEDULER', name: 'last', parameters: null, reads: [], unit: null },
      ],
    })
  })

  test('a service decides with the filters and weighers of its plug-ins, and a decision records the plug-ins', async () => {
    expect(placed).toMatchObject({ destinations: [{ selected: { host: { name: 'b' } } }] })
    const { decision, profile, verifyDecision } = await dataOf(api, DECISION, { id: placed.decision.id })
    expect(decision.plugins).toEqual([{ name: 'named', version: '1.0.0' }])
    expect(decision.explanation.fidelity).toBe('REPLAYED')
    expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
    expect(decision.explanation.steps.find(({ name }: Json) => name === 'NamedFilter')).toMatchObject({
      passed: 1,
      reasons: [{ code: 'filter.refused', text: 'name: b needed, a here.' }],
    })
    expect(profile.active.filters[0]).toEqual({ name: 'NamedFilter', description: 'Of a test.', reads: ['memoryMb'] })
  })

  test.each([
    ['throwing', 'ThrowingFilter', 'plug-in hostile 1.0.0: it threw no'],
    ['promising', 'PromisingFilter', 'plug-in hostile 1.0.0: passes returned a promise; it must return true or false'],
    [
      'mumbling',
      'MumblingFilter',
      'plug-in hostile 1.0.0: reason returned a value of type object; it must return a known code, texts without NUL and halves of surrogate pairs, and numbers',
    ],
  ])('if a part is %s, every host is refused and the refusal names the part', async (profile, part, why) => {
    const refused = await placeWith(api, { profile })
    expect(refused.reasons).toEqual([
      { filter: part, code: 'filter.error', hosts: 2, text: `${part} failed on this host, so the host is refused: ${why}.` },
    ])
    const { plugins } = await dataOf(api, '{ plugins { name failureCount lastFailure { part message } } }')
    expect(plugins[1].failureCount).toBeGreaterThan(1)
    expect(plugins[1].lastFailure).toEqual({ part, message: why.replace('plug-in hostile 1.0.0: ', '') })
    expect(api.warnings.filter((line) => line.startsWith(`${part} of plug-in hostile 1.0.0 failed`))).toHaveLength(1)
  })

  test("a plug-in's scheduler selects the hosts, and the decision records the plug-in", async () => {
    const { decision, destinations } = await placeWith(api, { profile: 'by-last' })
    expect(destinations[0].selected.host.name).toBe('b')
    const found = await dataOf(api, DECISION, { id: decision.id })
    expect([found.decision.plugins, found.verifyDecision]).toEqual([
      [{ name: 'named', version: '1.0.0' }],
      { outcome: 'SAME', fidelity: 'REPLAYED' },
    ])
    const { profile } = await dataOf(api, '{ profile(name: "by-last") { active { scheduler schedulerName } } }')
    expect(profile.active).toEqual({ scheduler: 'PLUGIN', schedulerName: 'last' })
    expect(await createProfile('both', [], [], { scheduler: 'CHANCE', schedulerName: 'last' })).toEqual({
      __typename: 'ValidationError',
      issues: [{ message: 'input.scheduler is "CHANCE"; it must be PLUGIN or be left out, because schedulerName names a scheduler' }],
    })
    expect(await createProfile('gone', [], [], { schedulerName: 'gone' })).toMatchObject({
      issues: [{ message: expect.stringContaining('there is no scheduler "gone"; it must be one of filter, chance, solver, last') }],
    })
  })

  test.each([
    ['by-thrower', 'thrower', 2, 'it threw no\ufffd'],
    ['by-later', 'later', 2, 'select returned no parts; it must return a list with one part for each instance that has a host'],
    ['by-blind', 'blind', 1, 'select placed instance 0 on b, which does not pass'],
  ])("a request is refused with ERROR and the scheduler's name if the scheduler gives no result: %s", async (profile, part, hosts, why) => {
    const refused = await placeWith(api, { profile })
    expect(refused.reasons.find(({ filter }: Json) => filter === part)).toEqual({
      ...{ filter: part, code: 'filter.error', hosts },
      text: `${part} failed on this host, so the host is refused: plug-in hostile 1.0.0: ${why}.`,
    })
    const { plugins } = await dataOf(api, '{ plugins { lastFailure { part message } parts { kind name } } }')
    expect(plugins[1].lastFailure).toEqual({ part, message: why })
    expect(plugins[1].parts).toContainEqual({ kind: 'SCHEDULER', name: part })
    const { decision, verifyDecision } = await dataOf(api, DECISION, { id: refused.decision.id })
    expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
    expect(decision.explanation.steps.find(({ name }: Json) => name === part)).toMatchObject({
      passed: 0,
      reasons: [{ code: 'filter.error' }],
    })
  })

  test('an invalid number of a weigher is treated as the lowest score', async () =>
    expect(await placeWith(api, { profile: 'nan' })).toMatchObject({ __typename: 'SelectDestinationsPayload' }))

  test('without the plug-ins the service starts, follows the log, and refuses requests that need them', async () => {
    await api.close()
    api = await startTestService({ database })
    expect(await placeWith(api, {})).toMatchObject({ __typename: 'SelectDestinationsPayload' })
    expect(await placeWith(api, { profile: 'named' })).toMatchObject({
      __typename: 'ValidationError',
      issues: [
        {
          rule: 'profile.lacks_part',
          message: expect.stringContaining('This replica cannot decide by profile named@1: there is no filter "NamedFilter"'),
        },
      ],
    })
    const { decision, verifyDecision } = await dataOf(api, DECISION, { id: placed.decision.id })
    expect(decision.plugins).toEqual([{ name: 'named', version: '1.0.0' }])
    expect(decision.explanation.fidelity).toBe('APPROXIMATE')
    expect(verifyDecision).toEqual({ outcome: 'UNKNOWN', fidelity: 'APPROXIMATE' })
    const { requiredStats, plugins } = await dataOf(api, '{ requiredStats { namespaces { namespace } } plugins { name } }')
    expect([requiredStats.namespaces[0].namespace, plugins]).toEqual(['compute', []])
    // Only one decision so far used the default profile. The other nine used a plug-in, and cannot be checked without the plug-in.
    expect(await verifyStoredDecisions(database.connection)).toMatchObject({ checked: 1, elsewhere: 9, differences: [] })
    const simulated = await api.ask('query ($in: SimulateInput!) { simulate(input: $in) { __typename } }', {
      in: { profile: 'named', requests: [{ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 } } } }] },
    })
    expect(simulated.text).not.toContain('INTERNAL')
  })
})
