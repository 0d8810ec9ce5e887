import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { filters, weighers } from '../bundled.ts'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import { Fleet } from '../fleet/fleet.ts'
import { Historian, histories } from '../fleet/history.suite.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { isLive } from '../records/claim.ts'
import { profileSchema } from '../records/profile.ts'
import { aRequest, aUuid } from '../testing/index.ts'
import { decide } from './decide.ts'

/** The profile `all` of this test does not use these filters. They need options, or they refuse every host of the test. */
const LEFT_OUT = ['TrustedFilter', 'IsolatedHostsFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter']

/** The filters and weighers of these profiles together read all data of a host that any decision reads. */
const profiles = [
  {
    name: 'all',
    number: 1,
    filters: filters.filter(({ name }) => !LEFT_OUT.includes(name)).map(({ name }) => ({ name })),
    weighers: weighers.map(({ name }) => ({ name, multiplier: 1 })),
  },
  {
    name: 'rounds',
    number: 1,
    compat: 'nova',
    filters: [],
    weighers: ['RAMWeigher', 'CPUWeigher', 'DiskWeigher', 'IoOpsWeigher', 'PCIWeigher'].map((name) => ({ name, multiplier: 1 })),
  },
].map((profile) => profileSchema.parse(profile))

const small = { vcpus: 1, memoryMb: 1 }
const requests = [
  aRequest({ ...small, numInstances: 3 }),
  aRequest({ ...small, vcpus: 0, numInstances: 2, gpus: { shareMilli: 300 } }),
  aRequest({ ...small, vcpus: 0, numInstances: 2, pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }] }] }),
  aRequest({ ...small, numInstances: 3, instanceGroup: { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } }),
  aRequest({ ...small, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1, cpuPolicy: 'dedicated' }] } }),
  aRequest({ ...small, schedulerHints: { different_host: [aUuid(1), aUuid(2)] } }),
]

/** Decides every request by every profile. If the fleet has a claim that can move, each request for one instance moves this claim. */
const decisionsOn = (fleet: Fleet): string =>
  JSON.stringify(
    profiles.flatMap((profile) =>
      requests.map((request) => {
        const overlay = openOverlay(fleet)
        const mayMove = [...fleet.ledger.claims.values()].find((claim) => isLive(claim) && claim.source === null && claim.target === null)
        try {
          return decide(fleet, overlay, {
            id: 'd',
            request,
            profile,
            seed: 's',
            attempt: 1,
            alternatesPerInstance: 2,
            allOrNothing: false,
            claimIds: ['x0', 'x1', 'x2'],
            source: request.numInstances === 1 ? mayMove : undefined,
          })
        } finally {
          overlay.discard()
        }
      }),
    ),
  )

test('copying a fleet does not change its decisions, and each copy decides as the fleet did when it was copied', () => {
  fc.assert(
    fc.property(histories, fc.boolean(), (steps, isRestored) => {
      let fleet = new Fleet()
      const plain = new Fleet()
      const historian = new Historian()
      const first = historian.first(fleet)
      fleet.apply(first)
      plain.apply(first)
      const copies: { readonly copy: Fleet; readonly decided: string }[] = []
      for (const [i, step] of steps.entries()) {
        if (i % 3 === 0) copies.push({ copy: copyFleet(fleet), decided: decisionsOn(plain) })
        if (i % 7 === 6) fleet = isRestored ? restoreFleet(checkpointOf(copyFleet(fleet))) : copyFleet(fleet)
        const entry = historian.next(plain, step)
        expect(fleet.apply(entry)).toEqual(plain.apply(entry))
        expect(decisionsOn(fleet)).toBe(decisionsOn(plain))
      }
      for (const { copy, decided } of copies) expect(decisionsOn(copy)).toBe(decided)
    }),
    { seed: 5, numRuns: byExtent(3, 10) },
  )
})
