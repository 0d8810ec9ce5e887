import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'
import { isolatePlugin } from '../isolate.ts'

// these tests use one service with several faulty plug-ins and one correct plug-in, each in a separate thread

const filter = (name: string, prepare: string): string =>
  `filters: [{ name: '${name}Filter', description: 'd', reads: ['memoryMb'], prepare${prepare} }]`
const weigher = (name: string, prepare: string): string =>
  `weighers: [{ name: '${name}Weigher', description: 'd', unit: 'MiB', reads: ['memoryMb'], prepare${prepare} }]`
const passing = (passes: string): string => `() { return { passes(host) { ${passes} }, reason: () => ({ code: 'filter.refused' }) } }`

/** The plug-ins by name, with their parts and the expected messages. */
const hostile: Readonly<Record<string, { readonly parts: string; readonly says: RegExp; readonly code: string }>> = {
  throwing: {
    parts: filter('Throwing', passing(`throw new Error('no power')`)),
    says: /throwing@1\.0\.0.*no power/,
    code: 'outside.bad_answer',
  },
  preparing: { parts: filter('Preparing', `() { throw { toString: null } }`), says: /preparing@1\.0\.0/, code: 'outside.failed' },
  odd: { parts: filter('Odd', passing(`throw null`)), says: /odd@1\.0\.0.*null/, code: 'outside.bad_answer' },
  looping: { parts: filter('Looping', passing('for (;;);')), says: /looping@1\.0\.0.*did not answer in 1000 ms/, code: 'outside.failed' },
  promising: {
    parts: filter('Promising', passing('return new Promise(() => {})')),
    says: /returned a promise/,
    code: 'outside.bad_answer',
  },
  silent: { parts: filter('Silent', passing('')), says: /returned undefined/, code: 'outside.bad_answer' },
  texts: { parts: filter('Texts', passing(`return 'yes'`)), says: /returned "yes"/, code: 'outside.bad_answer' },
  nonsense: { parts: weigher('Nonsense', '() { return () => Number.NaN }'), says: /returned NaN/, code: 'outside.bad_answer' },
  greedy: {
    parts: filter('Greedy', passing('const all = []; for (;;) all.push(new Array(100_000).fill(host))')),
    says: /greedy@1\.0\.0.*(more memory|did not answer)/,
    code: 'outside.failed',
  },
  leaving: { parts: filter('Leaving', passing('process.exit(7)')), says: /ended by itself with code 7/, code: 'outside.failed' },
  flooding: {
    parts: filter('Flooding', `() { return { passes: () => false, reason: () => ({ code: 'x'.repeat(100_000) }) } }`),
    says: /flooding@1\.0\.0/,
    code: 'outside.bad_answer',
  },
  forging: {
    parts: filter(
      'Forging',
      `() { process.getBuiltinModule?.('node:worker_threads'); globalThis.Array.prototype.map = () => [true, true, true]; return { passes: () => true, reason: () => ({}) } }`,
    ),
    says: /answered about 3 hosts; it was asked about 2/,
    code: 'outside.failed',
  },
}

const good = `
  filters: [{ name: 'GoodFilter', description: 'd', reads: ['memoryMb'], prepare(request, fleet) {
    fleet.hosts.records[0].stats.memoryMb = 0
    request.flavor.memoryMb = 0
    Object.prototype.polluted = true
    return { passes: (host) => fleet.hosts.get(host).host !== 'small', reason: (host) => ({ code: 'filter.refused', subject: 'name', need: 'large', have: fleet.hosts.get(host).host }) }
  } }],
  weighers: [{ name: 'GoodWeigher', description: 'd', unit: 'MiB', reads: ['memoryMb'], prepare: (request, fleet) => (host) => host }],`

let folder: string
let api: TestService

const moduleOf = (name: string, parts: string): string =>
  `export default { contract: 1, name: '${name}', version: '1.0.0', description: 'd', filters: [], weighers: [], ${parts} }\n`

const CREATE = `mutation ($profile: String!, $input: ProfileVersionInput!) { profileVersionCreate(profile: $profile, input: $input) { __typename
  ... on ValidationError { issues { message } } } }`

async function createProfile(name: string, filters: readonly string[], weighers: readonly string[]): Promise<void> {
  const { profileVersionCreate } = await dataOf(api, CREATE, {
    profile: name,
    input: {
      filters: ['ComputeFilter', ...filters].map((part) => ({ name: part })),
      weighers: ['RAMWeigher', ...weighers].map((part) => ({ name: part, multiplier: 1 })),
      note: 'n',
    },
  })
  expect(profileVersionCreate).toEqual({ __typename: 'ProfilePayload' })
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-hostile-'))
  const files = Object.entries({ ...Object.fromEntries(Object.entries(hostile).map(([name, { parts }]) => [name, parts])), good })
  for (const [name, parts] of files) await writeFile(path.join(folder, `${name}.mjs`), moduleOf(name, parts))
  api = await startTestService({
    plugins: files.map(([name]) => ({ from: path.join(folder, `${name}.mjs`), mode: 'ISOLATED' as const })),
    pluginTimeoutMs: 1_000,
  })
  const room = { vcpus: 200, memoryMb: 1_048_576 }
  await api.report({ large: room, small: { ...room, memoryMb: 524_288 } })
  await createProfile('good', ['GoodFilter'], ['GoodWeigher'])
  for (const [name, { parts }] of Object.entries(hostile)) {
    const [, part = ''] = /name: '(\w+)'/.exec(parts) ?? []
    await createProfile(name, part.endsWith('Filter') ? [part] : [], part.endsWith('Weigher') ? [part] : [])
  }
})

afterAll(async () => {
  await api?.close()
  await rm(folder, { recursive: true, force: true })
})

const EXPLAINED = `query ($id: ID!) { node(id: $id) { ... on Decision { explanation { fidelity } } } verifyDecision(id: $id) { outcome fidelity } }`

describe.each(Object.entries(hostile))('a plug-in that is %s', (name, { says, code }) => {
  test('a faulty plug-in refuses all hosts, the refusals have its name, and other plug-ins are not affected', async () => {
    const [refused, placed] = await Promise.all([
      placeWith(api, { profile: name, deadline: 'PT5S' }),
      placeWith(api, { profile: 'good', deadline: 'PT5S' }),
    ])
    expect(refused).toMatchObject({ __typename: 'NoValidHost', reasons: [{ code, hosts: 2 }] })
    expect(refused.reasons[0].text).toMatch(says)
    expect(placed.destinations[0].selected.host.name).toBe('large')
    const { node, verifyDecision } = await dataOf(api, EXPLAINED, { id: refused.decision.id })
    expect([node.explanation, verifyDecision]).toEqual([{ fidelity: 'REPLAYED' }, { outcome: 'SAME', fidelity: 'REPLAYED' }])
  })
})

test('answers are inputs of the decision, which is replayed bit for bit without calling the plug-in', async () => {
  // this plug-in changes its arguments and their prototypes
  const placed = await placeWith(api, { profile: 'good' })
  expect(({} as Json).polluted).toBeUndefined()
  const { verifyDecision } = await dataOf(api, EXPLAINED, { id: placed.decision.id })
  expect(verifyDecision).toEqual({ outcome: 'SAME', fidelity: 'REPLAYED' })
})

describe('a plug-in that cannot be loaded', () => {
  const options = { timeoutMs: 100, warn: () => undefined, now: Date.now }
  test.each([
    ['loops', 'for (;;);', /not loaded in 500 ms/],
    ['waits for ever', 'await new Promise(() => {}); export default {}', /not loaded in 500 ms|ended by itself/],
    ['throws', `throw new Error('broken')`, /broken/],
    ['ends', 'process.exit(3)', /code 3/],
    ['exports nothing', 'export const a = 1', /exports a; its default export must be/],
    ['takes too much memory', 'const all = []; for (;;) all.push(new Array(100_000).fill(1))', /more memory/],
  ])('a plug-in that %s is refused with a message', async (name, source, says) => {
    const file = path.join(folder, `load-${name.replaceAll(' ', '-')}.mjs`)
    await writeFile(file, source)
    await expect(
      isolatePlugin(name, { ...options, url: `file://${file}`, loadMs: says.source.startsWith('not loaded') ? 500 : 10_000 }),
    ).rejects.toThrow(says)
  })
})
