import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { Historian, histories } from '../../fleet/history.suite.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { profileSchema } from '../../records/profile.ts'
import { type Decided, decide } from '../../schedulers/decide.ts'
import { aFleet, aRequest, aUuid } from '../../testing/index.ts'
import { novaFilters } from '../filters/index.ts'
import { novaWeighers } from '../weighers/index.ts'

/** These filters refuse most hosts of the test, or need options. */
const LEFT_OUT = ['TypeAffinityFilter', 'TrustedFilter', 'IsolatedHostsFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter']

const aProfile = (more: object) =>
  profileSchema.parse({
    ...{ name: 'all-of-nova', number: 1, compat: 'nova' },
    filters: novaFilters.filter(({ name }) => !LEFT_OUT.includes(name)).map(({ name }) => ({ name })),
    weighers: novaWeighers.map(({ name }) => ({ name, multiplier: 1 })),
    ...more,
  })

const profiles = [
  aProfile({}),
  aProfile({ hostSubsetSize: 3, weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }),
  aProfile({ weighers: [], nova: { shuffleBest: true } }),
]

/** Nova's filter for NUMA cells fails for a request without an image. */
const small = { vcpus: 1, memoryMb: 0, image: {} }
const shapes: readonly Parameters<typeof aRequest>[0][] = [
  small,
  { ...small, memoryMb: 1 },
  { ...small, vcpus: 100 },
  { ...small, vcpus: 0, gpus: { shareMilli: 300 } },
  { ...small, instanceGroup: { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY' } },
  { ...small, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1, cpuPolicy: 'dedicated' }] } },
  { ...small, schedulerHints: { different_host: [aUuid(1), aUuid(2)] } },
  { ...small, ignoreHosts: ['h1'] },
]

function decideOn(fleet: Fleet, numInstances: number, shape: Parameters<typeof aRequest>[0], profile = profiles[0]): Decided {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', profile: profile ?? aProfile({}), seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false },
      request: aRequest({ ...shape, numInstances }),
      claimIds: Array.from({ length: numInstances }, (_, i) => `x${i}`),
    })
  } finally {
    overlay.discard()
  }
}

test('a single instance is placed as the first of two instances, which rounds of the algorithm place', () => {
  let placed = 0
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      for (const profile of profiles)
        for (const shape of shapes) {
          const [one, two] = [decideOn(fleet, 1, shape, profile), decideOn(fleet, 2, shape, profile)]
          expect(one.record.instances[0]).toEqual(two.record.instances[0])
          expect(one.parts[0]).toEqual(two.parts[0])
          expect(one.answer[0]).toEqual(two.answer[0])
          placed += one.parts.length
        }
    }),
    { seed: 51, numRuns: byExtent(5, 200) },
  )
  expect(placed).toBeGreaterThan(10)
})

/** Thirty hosts. Each third host is in the Nova cell of the first host, and hosts with higher numbers have more memory. */
const cells = aFleet(
  Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`h${String(i).padStart(2, '0')}`, { memoryMb: 10_000 + i * 1_000 }])),
)

test('alternates are the next best hosts, the best first', () => {
  const profile = aProfile({ weighers: [{ name: 'RAMWeigher', multiplier: 1 }], nova: { maxAttempts: 40 } })
  const overlay = openOverlay(cells)
  const decided = decide(cells, overlay, {
    ...{ id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 20, allOrNothing: true },
    request: aRequest(small),
    claimIds: ['x0'],
  })
  overlay.discard()
  expect(decided.answer[0]?.selected.host).toBe('h29')
  expect(decided.answer[0]?.alternates.map(({ host }) => host)).toEqual(
    Array.from({ length: 20 }, (_, i) => `h${String(28 - i).padStart(2, '0')}`),
  )
})
