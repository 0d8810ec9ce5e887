import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { whatWouldFit } from './what-would-fit.ts'

/* The proposals do not depend on the order in which the hosts were first reported. */

type Hosts = readonly (readonly [name: string, shape: HostShape, zone: string | null])[]

function proposals(hosts: Hosts, request: RequestSpec, maxChanges = 1, named = 'default'): readonly string[] {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map(([name, shape]) => aReport(name, shape))])
  const zones = new Set(hosts.flatMap(([, , zone]) => zone ?? []))
  const membersOf = (name: string) => hosts.flatMap(([host, , zone]) => (zone === name ? [host] : [])).sort()
  log.append(
    [...zones].sort().map((name, i) => ({
      ...{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0 },
      next: { name, hosts: membersOf(name), metadata: { availability_zone: name } },
    })),
  )
  const { counterfactuals, cut } = atOnce(
    whatWouldFit(log.fleet, {
      ...{
        request,
        profile: builtInProfiles.find(({ name }) => name === named) as Profile,
        seed: 's',
        kinds: ['REQUEST', 'FLEET', 'POLICY'],
      },
      ...{ maxChanges, first: 100, minHosts: 1, maxRuns: 5_000, isOver: () => false },
    }),
  )
  expect(cut).toBe(null)
  return counterfactuals.map(({ changes }) => changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`).join('; '))
}

const inPages = (counts: readonly number[]): HostShape => ({
  ...{ vcpus: 8, memoryMb: 4_096 },
  numaCells: counts.map((total, id) => ({
    ...{ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 10 * id), memoryMb: 2_048 },
    pages:
      total === 0
        ? [{ sizeKib: 4, total: 524_288 }]
        : [
            { sizeKib: 4, total: 262_144 },
            { sizeKib: 2_048, total },
          ],
  })),
})

const guestInPages = (memoryMb: number): RequestSpec =>
  aRequest({
    flavor: { vcpus: 2, memoryMb: 2 * memoryMb },
    numaTopology: { cells: [0, 1].map((id) => ({ id, cpus: [id], memoryMb, pageSize: 2_048 })) },
    image: { id: 'i' },
  })

describe('if less memory makes a guest fit on host h1, this is proposed, even if less memory does not suffice on other hosts', () => {
  const paged = inPages([500, 500])
  test.each<[string, Hosts]>([
    ['h1 is the only host', [['h1', paged, null]]],
    [
      'h1 comes after a host without huge pages',
      [
        ['h0', inPages([0, 0]), null],
        ['h1', paged, null],
      ],
    ],
    [
      'h1 comes before a host without huge pages',
      [
        ['h1', paged, null],
        ['h2', inPages([0, 0]), null],
      ],
    ],
    [
      'h1 comes after a host with huge pages in only one cell',
      [
        ['h0', inPages([500, 0]), null],
        ['h1', paged, null],
      ],
    ],
  ])('%s', (_situation, hosts) => expect(proposals(hosts, guestInPages(3_000))).toContain('memory of each NUMA cell 3000 MiB -> 1000 MiB'))
})

const hostDrawn = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 6 }),
    gib: fc.integer({ min: 1, max: 6 }),
    localGb: fc.constantFrom(0, 20, 100),
    traits: fc.constantFrom<string[]>([], ['CUSTOM_FAST'], ['CUSTOM_FAST', 'CUSTOM_QUIET']),
    gpus: fc.integer({ min: 0, max: 2 }),
    fpgas: fc.integer({ min: 0, max: 3 }),
    pages: fc.array(fc.constantFrom(0, 100, 300, 500), { maxLength: 2 }),
    zone: fc.constantFrom('zone1', 'zone2', null),
  })
  .map(({ gib, gpus, fpgas, pages, zone, ...rest }) => ({
    zone,
    shape: {
      ...rest,
      numaCells: inPages(pages).numaCells ?? [],
      memoryMb: gib * 1_024,
      gpus: Array.from({ length: gpus }, (_, index) => ({ index })),
      inventories: fpgas === 0 ? [] : [{ resourceClass: 'CUSTOM_FPGA', total: fpgas }],
    } satisfies HostShape,
  }))

const requestDrawn: fc.Arbitrary<RequestSpec> = fc
  .record({
    size: fc.record({ vcpus: fc.integer({ min: 1, max: 7 }), gib: fc.integer({ min: 1, max: 7 }), rootGb: fc.constantFrom(0, 30) }),
    zone: fc.constantFrom(null, null, 'zone1', 'zne2'),
    numInstances: fc.constantFrom(1, 1, 2, 3),
    traits: fc.constantFrom<string[]>([], ['CUSTOM_FAST'], ['CUSTOM_FSAT'], ['CUSTOM_FSAT', 'CUSTOM_QUIET']),
    specs: fc.constantFrom<Record<string, string>>({}, {}, { 'resources:CUSTOM_FPGA': '3' }),
    more: fc.constantFrom<Parameters<typeof aRequest>[0]>(
      ...[{}, {}, { gpus: { count: 2 } }, { forceHosts: ['h0'] }, { requestedDestination: { host: 'h1' }, forceHosts: ['h0'] }],
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 3_000, pageSize: 2_048 }] } },
      { numaTopology: { cells: [0, 1].map((id) => ({ id, cpus: [id], memoryMb: 1_500, pageSize: 'large' })) } },
    ),
  })
  .map(({ size: { gib, ...size }, zone, numInstances, traits, specs, more }) => {
    const cells = more?.numaTopology?.cells
    const ofCells = cells === undefined ? {} : { vcpus: 2, memoryMb: cells.reduce((sum, { memoryMb }) => sum + memoryMb, 0) }
    return aRequest({
      flavor: { memoryMb: gib * 1_024, ...size, ...ofCells, extraSpecs: specs },
      requestedResources: [{ amounts: [], requiredTraits: traits }],
      ...{ numInstances, availabilityZone: zone, image: { id: 'i' } },
      ...more,
    })
  })

test.each(['default', 'nova-compat'])(
  'the proposals do not depend on the order of the hosts, for random refusals by the profile %s',
  (named) => {
    let compared = 0
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 2, maxLength: 5 }),
        requestDrawn,
        fc.constantFrom(1, 2),
        fc.infiniteStream(fc.nat()),
        (drawn, request, maxChanges, keys) => {
          const hosts: Hosts = drawn.map(({ shape, zone }, i) => [`h${i}`, shape, zone] as const)
          const shuffled = hosts.map((host) => ({ host, key: keys.next().value as number })).toSorted((a, b) => a.key - b.key)
          const found = proposals(hosts, request, maxChanges, named)
          compared += found.length
          const other = proposals(
            shuffled.map(({ host }) => host),
            request,
            maxChanges,
            named,
          )
          expect(other.toSorted()).toEqual(found.toSorted())
        },
      ),
      draws(8, 50, 500),
    )
    expect(compared).toBeGreaterThan(0)
  },
)
