import { expect, test } from 'vitest'
import { digestOf } from '../request/versions.suite.ts'
import { aUuid } from '../testing/index.ts'
import { type Collectors, collectorsV1_0 } from './facts/collectors.ts'
import { type Network, networkV1_0 } from './facts/network.ts'
import { type Storage, storageV1_0 } from './facts/storage.ts'
import { type NamespaceName, namespaces, registeredNamespaces } from './index.ts'

// Replicas derive the sizes of storage pools from documents while they apply the log. All releases must therefore read a document in the
// same way. Otherwise, the states of replicas would differ.

const forms = [
  { name: 'storage', version: '1.0', schema: storageV1_0, frozen: '052f040dfbc71b5be07c693e271085d35dd934860853e8d28bf1dbd52b2e34c6' },
  { name: 'network', version: '1.0', schema: networkV1_0, frozen: '02ad1b764a79589635924fe19e047f129b1150562c5e270b9d46149ac2c25792' },
  {
    name: 'collectors',
    version: '1.0',
    schema: collectorsV1_0,
    frozen: '246c452266faee758c2a97c143480a8665f3df8cb055c014cc4ae425e5422f67',
  },
] as const

// If a digest differs, a published schema was changed. Undo the change, and publish the changed schema as a new version.
test.each(forms)('$name $version accepts exactly what it accepted when it was published', ({ schema, frozen }) => {
  expect(digestOf(schema)).toBe(frozen)
})

test('every published version of every namespace has a digest in this test', () => {
  const published = registeredNamespaces.flatMap((name) => namespaces[name].versions.map((version) => `${name} ${version}`))
  expect(forms.map(({ name, version }) => `${name} ${version}`)).toEqual(published)
})

const upper = 'ABCDEF00-0000-4000-8000-00000000000A'
const lower = upper.toLowerCase()
const pool = { uuid: aUuid(1), name: 'p' }
const SINCE = '2026-11-20T12:00:00.000Z'
const least = { distance: 1, zone: null, backend: null, totalGib: null, usedGib: null, reservedGib: 0, thinRatio: 1 }

/**
 * The content that is read from a document of version 1.0, with defaults and normalised values. The digest of the schema does not cover
 * these.
 */
const kept = (name: NamespaceName, document: unknown): unknown => {
  const parsed = namespaces[name].parse('1.0', document)
  if (!parsed.ok) return parsed.problems.map(({ message }) => message)
  const lists = Object.entries(parsed.value as Network | Storage | Collectors)
  return Object.fromEntries(lists.map(([list, byName]) => [list, Object.fromEntries(byName as ReadonlyMap<string, unknown>)]))
}

test.each<[string, unknown, unknown]>([
  ['a pool with only its required fields', { pools: [pool] }, { pools: { [aUuid(1)]: { ...pool, ...least } }, volumes: {} }],
  [
    'uuids in upper and lower case are equal',
    { pools: [{ uuid: upper, name: 'p', thinRatio: 1.25, totalGib: 8 }], volumes: [{ uuid: aUuid(2), pool: lower }] },
    {
      pools: { [lower]: { uuid: lower, name: 'p', ...least, thinRatio: 1.25, totalGib: 8 } },
      volumes: { [aUuid(2)]: { uuid: lower, name: 'p', ...least, thinRatio: 1.25, totalGib: 8 } },
    },
  ],
  [
    'a reserved amount above the total',
    { pools: [{ ...pool, totalGib: 1, reservedGib: 2 }] },
    { pools: { [aUuid(1)]: { ...pool, ...least, totalGib: 1, reservedGib: 2 } }, volumes: {} },
  ],
  [
    'one pool in upper and lower case',
    {
      pools: [
        { uuid: upper, name: 'p' },
        { uuid: lower, name: 'q' },
      ],
    },
    ['pools is a list of 2; it must name each pool once'],
  ],
  [
    'one volume in two pools',
    {
      pools: [pool],
      volumes: [
        { uuid: upper, pool: aUuid(1) },
        { uuid: lower, pool: aUuid(1) },
      ],
    },
    ['volumes is a list of 2; it must name each volume once'],
  ],
  [
    'a volume in a pool that is not in the document',
    { pools: [], volumes: [{ uuid: lower, pool: aUuid(1) }] },
    [`volumes.0.pool is "${aUuid(1)}"; it must be one of the pools of this document`],
  ],
])('storage 1.0: %s', (_name, document, value) => expect(kept('storage', document)).toEqual(value))

test.each<[string, unknown, unknown]>([
  [
    'a collector with only its required fields',
    { collectors: [{ name: 'power', namespace: 'power', state: 'PAUSED', since: SINCE }] },
    {
      byNamespace: {
        power: { name: 'power', namespace: 'power', state: 'PAUSED', since: SINCE, intervalSeconds: null, error: null, lastGoodAt: null },
      },
    },
  ],
  [
    'two collectors of one namespace',
    { collectors: ['a', 'b'].map((name) => ({ name, namespace: 'power', state: 'WAITING', since: SINCE })) },
    ['collectors is a list of 2; it must name each namespace once'],
  ],
  [
    'one name for two collectors',
    { collectors: ['a', 'b'].map((namespace) => ({ name: 'power', namespace, state: 'WAITING', since: SINCE })) },
    ['collectors is a list of 2; it must name each collector once'],
  ],
])('collectors 1.0: %s', (_name, document, value) => expect(kept('collectors', document)).toEqual(value))

test.each<[string, unknown, unknown]>([
  [
    'a physical network and a port with only their required fields',
    { physicalNetworks: [{ name: 'n' }], ports: [{ uuid: upper, physicalNetwork: 'm' }] },
    {
      physicalNetworks: { n: { name: 'n', distance: 1, segments: null } },
      ports: { [lower]: { uuid: lower, physicalNetwork: 'm', segment: null, here: false } },
    },
  ],
  [
    'a physical network that is listed twice',
    { physicalNetworks: [{ name: 'n' }, { name: 'n' }] },
    ['physicalNetworks is a list of 2; it must name each physical network once'],
  ],
  [
    'a port that is listed twice',
    {
      physicalNetworks: [],
      ports: [
        { uuid: upper, physicalNetwork: 'n' },
        { uuid: lower, physicalNetwork: 'n' },
      ],
    },
    ['ports is a list of 2; it must name each port once'],
  ],
])('network 1.0: %s', (_name, document, value) => expect(kept('network', document)).toEqual(value))
