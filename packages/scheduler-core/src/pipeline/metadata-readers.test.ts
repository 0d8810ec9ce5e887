import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { filters, weighers } from '../bundled.ts'
import type { Filter } from '../contracts/filter.ts'
import { noPlugins } from '../contracts/plugins.ts'
import type { Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { covers, findSimilarIn, isExact, metadataReadsOf, metadataReadsWith } from '../hosts/metadata-reads.ts'
import { compatFilters, compatWeighers } from '../nova/compat/compat.ts'
import type { Change } from '../records/change.ts'
import { type Profile, profileSchema } from '../records/profile.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { passesSafely } from './filtering/passes-safely.ts'
import { createTopologySpreadFilter } from './filtering/topology-spread.ts'
import { metadataReaders, nearMisses } from './metadata-readers.ts'

const profile = (number: number, given: Partial<Profile>): Profile => ({
  ...profileSchema.parse({ name: 'gold', number, filters: [], weighers: [] }),
  ...given,
})

const fleets = new Map<string, Fleet>()

/**
 * A fleet with one host in an aggregate with this metadata. Fleets are cached and used for all filters and weighers, because creating a
 * fleet takes longer than the test.
 */
function fleetWith(metadata: Readonly<Record<string, string>>): Fleet {
  const name = JSON.stringify(metadata)
  const fleet = fleets.get(name) ?? makeFleet(metadata)
  fleets.set(name, fleet)
  return fleet
}

function makeFleet(metadata: Readonly<Record<string, string>>): Fleet {
  const log = aLog()
  const rack: Change = { type: 'aggregate', uuid: aUuid(5), expectedVersion: 0, next: { name: 'rack', metadata, hosts: ['h1'] } }
  expect(log.append([aReport('h1', { vcpus: 4, runningVms: 2, numIoOps: 2 }), rack])).toEqual([undefined, undefined])
  return log.fleet
}

const asks = [
  { vcpus: 2, memoryMb: 1_024 },
  { flavor: { vcpus: 2, memoryMb: 1_024, rootGb: 10, extraSpecs: { 'aggregate_instance_extra_specs:rack': 'r1' } } },
  { availabilityZone: 'z1' },
  { projectId: 'p1', image: { properties: { hw_architecture: 'x86_64' } } },
  { instanceGroup: { uuid: aUuid(7), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'room', maxSkew: 1 }] },
] as const
const requests = asks.map((ask) => aRequest(ask as Parameters<typeof aRequest>[0]))

type Part = Pick<Filter, 'name' | 'readsMetadata'> & { answers(metadata: Readonly<Record<string, string>>): string }

const ofFilter = (filter: Filter): Part => ({
  ...filter,
  answers(metadata) {
    const fleet = fleetWith(metadata)
    return JSON.stringify(
      requests.map((request) => {
        const prepared = filter.prepare(request, fleet, {})
        return prepared === undefined ? 'not asked' : passesSafely(prepared, 0 as HostIndex)
      }),
    )
  },
})

const ofWeigher = (weigher: Weigher): Part => ({
  ...weigher,
  answers(metadata) {
    const { usual = 1, own } = weigher.multipliers?.(fleetWith(metadata), { aggregateMultiplier: true }, 1) ?? {}
    return String(own?.of(0 as HostIndex) ?? usual)
  },
})

const parts: readonly (Part & { kind: string })[] = [
  ...[...filters, createTopologySpreadFilter(() => true)].map((filter) => ({ kind: 'filter', ...ofFilter(filter) })),
  ...compatFilters.map((filter) => ({ kind: "Nova's filter", ...ofFilter(filter) })),
  ...weighers.map((weigher) => ({ kind: 'weigher', ...ofWeigher(weigher) })),
  ...compatWeighers.map((weigher) => ({ kind: "Nova's weigher", ...ofWeigher(weigher) })),
]

const named = [...new Set(parts.flatMap(({ readsMetadata }) => metadataReadsOf(readsMetadata).filter(isExact)).map(({ key }) => key))]
/** The keys that filters and weighers declare, other keys that the requests refer to, and `colour`, which no filter or weigher reads. */
const keys = [...named, 'ssd', 'rack', 'room', 'hw_architecture', 'colour']
/** Metadata values. Each value changes the result of at least one filter or weigher. */
const values = ['0', '0.001', 'z1', 'true', 'r1', 'arm', aUuid(9)]

describe('the metadata that filters and weighers declare to read', () => {
  test.each(parts)('$kind $name reads no key that it does not declare', ({ readsMetadata, answers }) => {
    const reads = metadataReadsOf(readsMetadata)
    const without = answers({})
    for (const key of keys.filter((one) => !reads.some((read) => covers(read, one))))
      for (const value of values) expect([key, value, answers({ [key]: value })]).toEqual([key, value, without])
  })

  test.each(parts.filter(({ readsMetadata }) => metadataReadsOf(readsMetadata).length > 0))(
    '$kind $name reads the keys that it declares',
    (part) => {
      const reads = metadataReadsOf(part.readsMetadata)
      const without = part.answers({})
      for (const read of reads) {
        const said = keys.filter((key) => covers(read, key))
        expect([read.key, said.some((key) => values.some((value) => part.answers({ [key]: value }) !== without))]).toEqual([read.key, true])
      }
    },
  )

  test('an option can name the keys of image properties, or let aggregates set the multiplier', () => {
    const isolation = filters.find(({ name }) => name === 'AggregateImagePropertiesIsolation')
    expect(metadataReadsWith(isolation?.readsMetadata, { aggregate_image_properties_isolation_namespace: 'img' })).toEqual([
      { key: 'img.*', by: 'properties of images' },
    ])
    const ram = weighers.find(({ name }) => name === 'RAMWeigher')
    const reads = [{ key: 'ram_weight_multiplier', option: 'aggregateMultiplier' }]
    expect([metadataReadsOf(ram?.readsMetadata), metadataReadsWith(ram?.readsMetadata, {})]).toEqual([reads, []])
    expect(metadataReadsWith(ram?.readsMetadata, { aggregateMultiplier: true })).toEqual(reads)
  })
})

describe('the filters and weighers that read a metadata key', () => {
  const spread = { key: '*', by: 'topologySpread of requests', kind: 'FILTER', part: 'TopologySpreadFilter' }

  test('each filter or weigher is listed once with all of its profiles, and fixed keys are listed before keys from requests', () => {
    const [one, two] = [
      profile(1, { filters: [{ name: 'AggregateMultiTenancyIsolation', options: {} }] }),
      profile(2, {
        filters: [{ name: 'AggregateMultiTenancyIsolation', options: {} }],
        weighers: [{ name: 'RAMWeigher', multiplier: 1, options: { aggregateMultiplier: true } }],
      }),
    ]
    expect(metadataReaders([one, two], noPlugins).filter(({ part }) => part !== 'DiskPoolFilter')).toEqual([
      { key: 'filter_tenant_id', kind: 'FILTER', part: 'AggregateMultiTenancyIsolation', profiles: ['gold@1', 'gold@2'] },
      { key: 'ram_weight_multiplier', option: 'aggregateMultiplier', kind: 'WEIGHER', part: 'RAMWeigher', profiles: ['gold@2'] },
      { ...spread, profiles: ['gold@1', 'gold@2'] },
    ])
  })
})

describe('keys that differ from a known key in few letters', () => {
  test.each([
    ['a letter is missing', 'availabilty_zone', ['availability_zone']],
    ['two letters are exchanged', 'filter_tenatn_id', ['filter_tenant_id']],
    ['dashes for underscores, and another case', 'Availability-Zone', ['availability_zone']],
    ['a blank at the end', 'instance_type ', ['instance_type']],
    ['a dot for a colon', 'gantt.disk_pool', ['gantt:disk_pool']],
    ['nothing is near', 'ssd', []],
    ['a long key that is no misspelling', 'x'.repeat(10_000), []],
  ])('%s', (_name, key, near) => {
    expect(nearMisses(key, noPlugins)).toEqual(near)
  })

  test('known keys are similar to a short key if one letter differs, and the most similar keys are listed first', () => {
    expect(findSimilarIn(['rack', 'rock', 'rake', 'rak'])('rak')).toEqual(['rack', 'rake'])
  })

  /** The smallest number of letters to change, remove, insert or swap with their neighbour, computed from all shorter words. */
  const lettersBetween = (one: string, other: string): number => {
    if (one === '' || other === '') return one.length + other.length
    const [a, b] = [one.slice(1), other.slice(1)]
    return Math.min(
      lettersBetween(a, other) + 1,
      lettersBetween(one, b) + 1,
      lettersBetween(a, b) + (one[0] === other[0] ? 0 : 1),
      ...(one.length > 1 && one[0] === other[1] && one[1] === other[0] ? [lettersBetween(a.slice(1), b.slice(1)) + 1] : []),
    )
  }

  test('the similar keys are exactly those within one or two letters', () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 4, maxLength: 7 })
    fc.assert(
      fc.property(key, key, (asked, known) => {
        const isSimilar = asked !== known && lettersBetween(asked, known) <= (asked.length < 6 ? 1 : 2)
        expect(findSimilarIn([known])(asked)).toEqual(isSimilar ? [known] : [])
      }),
    )
  })

  test('the work is linear in the length of a key', () => {
    const work = { steps: 0 }
    const key = 'x'.repeat(62)
    findSimilarIn(
      Array.from({ length: 50 }, (_, i) => `${key}${i}`),
      work,
    )(`${key}_y`)
    expect(work.steps).toBeLessThanOrEqual(50 * 64 * 5)
  })
})
