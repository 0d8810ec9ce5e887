import { describe, expect, test } from 'vitest'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { demandOf } from '../../request/request-spec.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { withAmount } from './change-request.ts'
import { whatWouldFit } from './what-would-fit.ts'

/* Less disk means smaller disks of the flavor itself, and the root disk is never smaller than the image needs. */

type Flavor = NonNullable<NonNullable<Parameters<typeof aRequest>[0]>['flavor']>

const asking = (flavor: Partial<Flavor>, minDiskGb = 0, isBfv = false) =>
  aRequest({ isBfv, flavor: { vcpus: 1, memoryMb: 512, ...flavor }, image: { id: 'i', minDiskGb } })

describe.each(['default', 'nova-compat'])('disks that are reduced to fit on a host with 100 GiB, by the profile %s', (named) => {
  const proposed = (...given: Parameters<typeof asking>) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { localGb: 100 })])
    const { counterfactuals } = atOnce(
      whatWouldFit(log.fleet, {
        ...{ request: asking(...given), profile: builtInProfiles.find(({ name }) => name === named) as Profile, seed: 's' },
        ...{ kinds: ['REQUEST'], maxChanges: 1, first: 10, minHosts: 1, maxRuns: 100, isOver: () => false },
      }),
    )
    return counterfactuals.map(({ changes, request: { flavor } }) => [
      ...changes.map(({ subject, from, to }) => `${subject} ${from} -> ${to}`),
      `${flavor.rootGb} + ${flavor.ephemeralGb} + ${flavor.swapMb}`,
    ])
  }

  test.each<[string, ReturnType<typeof proposed>, ...Parameters<typeof asking>]>([
    ['a root disk', [['disk 200 GiB -> 100 GiB', '100 + 0 + 0']], { rootGb: 200 }],
    ['a root disk with an image that needs less than the free space', [['disk 200 GiB -> 100 GiB', '100 + 0 + 0']], { rootGb: 200 }, 100],
    ['a root disk with an image that needs more than the free space', [], { rootGb: 200 }, 101],
    ['a root disk and an ephemeral disk', [['disk 120 GiB -> 100 GiB', '60 + 40 + 0']], { rootGb: 60, ephemeralGb: 60 }, 50],
    ['both disks, if reducing one does not suffice', [['disk 200 GiB -> 100 GiB', '100 + 0 + 0']], { rootGb: 150, ephemeralGb: 50 }, 90],
    ['swap, if the root disk cannot be smaller', [['disk 104 GiB -> 100 GiB', '98 + 0 + 2048']], { rootGb: 100, swapMb: 4_000 }, 98],
    ['a root disk on a volume', [['disk 150 GiB -> 100 GiB', '200 + 100 + 0']], { rootGb: 200, ephemeralGb: 150 }, 150, true],
    [
      'an amount from an extra spec',
      [['disk 150 GiB -> 100 GiB', '20 + 0 + 0']],
      { rootGb: 20, extraSpecs: { 'resources:DISK_GB': '150' } },
      20,
    ],
  ])('%s', (_what, expected, ...given) => expect(proposed(...given)).toEqual(expected))
})

test.each([0, 1, 7, 30, 59, 60, 61, 90])('withAmount changes the total of the disks to %i GiB, for any present sizes', (amount) => {
  for (const flavor of [
    { rootGb: 20 },
    { rootGb: 20, ephemeralGb: 30 },
    { rootGb: 20, ephemeralGb: 10, swapMb: 30_000 },
    { ephemeralGb: 5 },
  ])
    for (const isBfv of [false, true])
      expect([flavor, isBfv, demandOf(withAmount(asking(flavor, 0, isBfv), 'DISK_GB', amount)).diskGib]).toEqual([flavor, isBfv, amount])
})
