import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Change } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { TOGETHER_AT_ONCE } from '../values/levels.ts'
import { decide } from './decide.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

interface Town {
  readonly hosts: Readonly<Record<string, HostShape>>
  readonly changes?: readonly Change[]
  readonly level?: number
  readonly profile?: Profile
  readonly allOrNothing?: boolean
}

const group = { uuid: aUuid(7), policy: 'AFFINITY' as const }

/** Decides a request with several instances of an affinity group. Returns the host of each placed instance. */
function placedOf(
  { hosts, changes = [], level = TOGETHER_AT_ONCE, profile = profileNamed('default'), allOrNothing = true }: Town,
  asks: Parameters<typeof aRequest>[0],
) {
  const log = aLog()
  log.append([{ type: 'feature', level }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  expect(log.append(changes).every((verdict) => verdict === undefined)).toBe(true)
  const request = aRequest({ instanceGroup: group, ...asks })
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const overlay = openOverlay(log.fleet)
  const input = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing, claimIds }
  const { parts, found } = decide(log.fleet, overlay, input)
  const held = overlay.size
  overlay.discard()
  expect(held).toBe(parts.length)
  return { on: parts.map(({ host }) => host), found }
}

/** The profile `default` prefers host `wide`, which has more memory but CPUs for only two instances. Host `deep` has CPUs for four. */
const hosts: Town['hosts'] = { wide: { vcpus: 2, memoryMb: 65_536 }, deep: { vcpus: 4, memoryMb: 8_192 } }
const manyOf = (shape: HostShape) => Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`many-${i}`, shape]))
const gpus = (count: number) => Array.from({ length: count }, (_, index) => ({ index, model: null }))
const cells = (sizes: readonly number[]) => sizes.map((memoryMb, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + 4 * id), memoryMb }))
const guest = { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1_024, cpuPolicy: 'dedicated' as const }] } }

describe('several instances of an affinity group are placed on a host on which all of them fit', () => {
  test.each<[name: string, town: Town, asks: Parameters<typeof aRequest>[0], placed: ReturnType<typeof placedOf>]>([
    [
      'E01 kind: the best host for one instance is too small for three instances',
      { hosts },
      { numInstances: 3 },
      { on: ['deep', 'deep', 'deep'], found: 3 },
    ],
    ['the best host is chosen if all instances fit on it', { hosts }, { numInstances: 2 }, { on: ['wide', 'wide'], found: 2 }],
    ['no host is large enough for five', { hosts }, { numInstances: 5 }, { on: [], found: 2 }],
    [
      'no host is large enough for five, and all-or-nothing is off',
      { hosts, allOrNothing: false },
      { numInstances: 5 },
      { on: ['wide', 'wide'], found: 2 },
    ],
    [
      'the best host for one instance has too few GPUs for two instances',
      { hosts: { wide: { memoryMb: 65_536, gpus: gpus(1) }, deep: { memoryMb: 8_192, gpus: gpus(2) } } },
      { numInstances: 2, gpus: { count: 1 } },
      { on: ['deep', 'deep'], found: 2 },
    ],
    [
      'only one host has enough dedicated CPUs in its cells',
      { hosts: { wide: { memoryMb: 65_536, numaCells: cells([65_536]) }, deep: { memoryMb: 16_384, numaCells: cells([8_192, 8_192]) } } },
      { numInstances: 5, ...guest },
      { on: ['deep', 'deep', 'deep', 'deep', 'deep'], found: 5 },
    ],
    [
      '150 better hosts have only one GPU each',
      { hosts: { ...manyOf({ memoryMb: 65_536, gpus: gpus(1) }), deep: { memoryMb: 8_192, gpus: gpus(2) } } },
      { numInstances: 2, gpus: { count: 1 } },
      { on: ['deep', 'deep'], found: 2 },
    ],
    [
      '150 better hosts have cells that are too small for two guest cells, but enough memory in sum',
      {
        hosts: { ...manyOf({ memoryMb: 65_536, numaCells: cells([5_120, 5_120]) }), deep: { memoryMb: 16_384, numaCells: cells([9_216]) } },
      },
      { numInstances: 3, memoryMb: 3_072, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 3_072 }] } },
      { on: ['deep', 'deep', 'deep'], found: 3 },
    ],
    [
      'a gang of two flavors',
      { hosts },
      { numInstances: 2, vcpus: 1, gang: [{ instances: 1, flavor: { vcpus: 3, memoryMb: 1_024 } }] },
      { on: ['deep', 'deep'], found: 2 },
    ],
    [
      'a group with members stays on its host, although all would fit on other hosts',
      { hosts, changes: [aClaim({ hosts: ['wide'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })] },
      { numInstances: 2 },
      { on: [], found: 1 },
    ],
    [
      'the profile random also places all instances on one host',
      { hosts, profile: profileNamed('random') },
      { numInstances: 4 },
      { on: ['deep', 'deep', 'deep', 'deep'], found: 4 },
    ],
    [
      'below feature level TOGETHER_AT_ONCE, the best host for one instance is chosen',
      { hosts, level: TOGETHER_AT_ONCE - 1 },
      { numInstances: 3 },
      { on: [], found: 2 },
    ],
  ])('%s', (_name, town, asks, placed) => {
    expect(placedOf(town, asks)).toEqual(placed)
  })

  test('law: all instances are placed if and only if they all fit on one host', () => {
    const drawn = fc.record({
      hosts: fc.array(fc.record({ vcpus: fc.integer({ min: 1, max: 8 }), gib: fc.integer({ min: 1, max: 16 }), gpus: fc.nat(4) }), {
        minLength: 1,
        maxLength: 6,
      }),
      numInstances: fc.integer({ min: 2, max: 5 }),
      vcpus: fc.integer({ min: 1, max: 3 }),
      memoryMb: fc.constantFrom(512, 1_024, 3_072),
      isOnGpu: fc.boolean(),
      profile: fc.constantFrom('default', 'best-fit', 'random').map(profileNamed),
    })
    fc.assert(
      fc.property(drawn, ({ hosts, numInstances, vcpus, memoryMb, isOnGpu, profile }) => {
        const shapes = hosts.map(
          ({ gib, gpus: count, ...shape }, i) => [`h${i}`, { ...shape, memoryMb: gib * 1_024, gpus: gpus(count) }] as const,
        )
        const { on } = placedOf(
          { hosts: Object.fromEntries(shapes), profile },
          { numInstances, vcpus, memoryMb, ...(isOnGpu && { gpus: { count: 1 } }) },
        )
        const isRoom = hosts.some(
          (host) =>
            host.vcpus >= numInstances * vcpus && host.gib * 1_024 >= numInstances * memoryMb && (!isOnGpu || host.gpus >= numInstances),
        )
        expect([on.length, new Set(on).size]).toEqual(isRoom ? [numInstances, 1] : [0, 0])
      }),
      { numRuns: byExtent(60, 200) },
    )
  })
})
