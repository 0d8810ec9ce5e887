import { describe, expect, test } from 'vitest'
import { causeText } from '../../cause/cause-text.ts'
import { causeIn, foundOf, profiles } from '../../cause/testing/drawn.ts'
import { prepareChecks } from '../../examine/examine.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import { aLog, aReport, aRequest, type HostShape } from '../../testing/index.ts'
import { UNITS_BEFORE_FREE } from '../../values/levels.ts'

type Inventory = NonNullable<HostShape['inventories']>[number]

const fleetWith = (inventory: Inventory, level = FEATURE_LEVEL) => {
  const log = aLog()
  const shape = { vcpus: 8, memoryMb: 65_536, localGb: 100, inventories: [inventory] }
  log.append([{ type: 'feature', level }, aReport('h0', shape)])
  return log.fleet
}

const asksFor = (resourceClass: string, amount: number) =>
  resourceClass === 'MEMORY_MB'
    ? aRequest({ memoryMb: amount })
    : resourceClass === 'VCPU'
      ? aRequest({ vcpus: amount })
      : aRequest({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: { [`resources:${resourceClass}`]: String(amount) } } })

describe.each(profiles.map((profile) => [profile.name, profile] as const))(
  'C3: if the total or the unit rules exclude an amount, the first reason says so, even if too little is free, by profile %s',
  (_name, profile) => {
    test.each<readonly [what: string, Inventory, asked: number, code: string, text: string, mended: Inventory]>([
      [
        'more than the total and than the largest amount for one instance',
        { resourceClass: 'CUSTOM_P', total: 4, maxUnit: 3 },
        6,
        'class.too_little',
        'CUSTOM_P: 6 needed by one instance; the host has 4 in total. CUSTOM_P: 6 needed by one instance; the host allows 1 to 3 in steps of 1.',
        { resourceClass: 'CUSTOM_P', total: 6, maxUnit: 6 },
      ],
      [
        'more memory than the total and than the largest amount for one instance',
        { resourceClass: 'MEMORY_MB', total: 4_000, maxUnit: 1_000 },
        5_000,
        'memory.too_little',
        'Memory: 5000 MiB needed by one instance; the host has 4000 MiB in total. Memory: 5000 MiB needed by one instance; the host allows 1 to 1000 in steps of 1.',
        { resourceClass: 'MEMORY_MB', total: 5_000, maxUnit: 5_000 },
      ],
      [
        'an amount that is not a multiple of the step',
        { resourceClass: 'CUSTOM_P', total: 4, stepSize: 4 },
        6,
        'class.too_little',
        'CUSTOM_P: 6 needed by one instance; the host has 4 in total. CUSTOM_P: 6 needed by one instance; the host allows only 4.',
        { resourceClass: 'CUSTOM_P', total: 6, stepSize: 3 },
      ],
      [
        'more than the largest amount for one instance, while other instances use the rest',
        { resourceClass: 'CUSTOM_P', total: 8, used: 6, maxUnit: 3 },
        6,
        'class.unit',
        'CUSTOM_P: 6 needed by one instance; the host allows 1 to 3 in steps of 1. CUSTOM_P: 6 needed, 2 free.',
        { resourceClass: 'CUSTOM_P', total: 12, used: 6, maxUnit: 6 },
      ],
      [
        'more than a stated largest amount that equals the total',
        { resourceClass: 'CUSTOM_P', total: 4, maxUnit: 4 },
        6,
        'class.too_little',
        'CUSTOM_P: 6 needed by one instance; the host has 4 in total. CUSTOM_P: 6 needed by one instance; the host allows 1 to 4 in steps of 1.',
        { resourceClass: 'CUSTOM_P', total: 6, maxUnit: 6 },
      ],
      [
        'more than a stated largest amount that equals the unreserved total, while the ratio leaves more',
        { resourceClass: 'CUSTOM_P', total: 6, reserved: 2, maxUnit: 4, allocationRatio: 4 },
        6,
        'class.too_little',
        'CUSTOM_P: 6 needed by one instance; the host has 4 in total',
        { resourceClass: 'CUSTOM_P', total: 8, reserved: 2, maxUnit: 6, allocationRatio: 4 },
      ],
      [
        'more vCPUs than the total and than the largest amount for one instance',
        { resourceClass: 'VCPU', total: 4, maxUnit: 4 },
        6,
        'cpu.too_few',
        '6 vCPUs needed by one instance; the host has 4 in total. 6 vCPUs needed by one instance; the host allows 1 to 4 in steps of 1.',
        { resourceClass: 'VCPU', total: 6, maxUnit: 6 },
      ],
      [
        'a largest amount that is not a multiple of the step',
        { resourceClass: 'CUSTOM_P', total: 100, maxUnit: 45, stepSize: 10 },
        15,
        'class.unit',
        'CUSTOM_P: 15 needed by one instance; the host allows 10 to 40 in steps of 10.',
        { resourceClass: 'CUSTOM_P', total: 100, stepSize: 5 },
      ],
      [
        'unit rules that no amount satisfies',
        { resourceClass: 'CUSTOM_P', total: 4, minUnit: 3, maxUnit: 3, stepSize: 2 },
        2,
        'class.unit',
        'CUSTOM_P: 2 needed by one instance; the host allows no amount.',
        { resourceClass: 'CUSTOM_P', total: 4, stepSize: 2 },
      ],
      [
        'less than the smallest amount, while other instances use the rest',
        { resourceClass: 'CUSTOM_P', total: 8, used: 8, minUnit: 3 },
        2,
        'class.unit',
        'CUSTOM_P: 2 needed by one instance; the host allows 3 to 8 in steps of 1. CUSTOM_P: 2 needed, 0 free.',
        { resourceClass: 'CUSTOM_P', total: 10, used: 8, minUnit: 2 },
      ],
      [
        'memory beyond the limit of one instance, while other instances use the rest',
        { resourceClass: 'MEMORY_MB', total: 8_000, used: 7_000, maxUnit: 1_000 },
        2_000,
        'class.unit',
        'Memory: 2000 MiB needed by one instance; the host allows 1 to 1000 in steps of 1.',
        { resourceClass: 'MEMORY_MB', total: 9_000, used: 7_000, maxUnit: 2_000 },
      ],
    ])('%s', (_what, inventory, asked, code, text, mended) => {
      const request = asksFor(inventory.resourceClass, asked)
      const cause = causeIn(fleetWith(inventory), request, profile)
      expect([cause.code, cause.nearest?.refusals[0]?.reason.code]).toEqual([code, code])
      expect(causeText(cause)).toContain(text)
      expect(foundOf(fleetWith(mended), request, profile)).toBe(1)
    })

    // a max_unit of 2147483647 is Placement's default, which means no limit, as an absent max_unit does
    test.each([null, 2_147_483_647])('if max_unit is %s, an amount above the total is refused because of the total only', (maxUnit) => {
      const cause = causeIn(fleetWith({ resourceClass: 'CUSTOM_P', total: 4, maxUnit }), asksFor('CUSTOM_P', 6), profile)
      expect(causeText(cause)).toBe(
        'The only host with resource class CUSTOM_P does not take it. h0: CUSTOM_P: 6 needed by one instance; the host has 4 in total.',
      )
    })

    test('an amount that is within max_unit, but in use by other instances, is refused because too little is free', () => {
      const cause = causeIn(fleetWith({ resourceClass: 'CUSTOM_P', total: 8, used: 6, maxUnit: 4 }), asksFor('CUSTOM_P', 4), profile)
      expect([cause.code, causeText(cause)]).toEqual([
        'class.short',
        'The only host with resource class CUSTOM_P does not take it. h0: CUSTOM_P: 4 needed, 2 free.',
      ])
    })

    test('an amount above the total, but within max_unit, is refused because too little is free', () => {
      const inventory = { resourceClass: 'CUSTOM_P', total: 4, used: 3, maxUnit: 9, allocationRatio: 2 }
      const cause = causeIn(fleetWith(inventory), asksFor('CUSTOM_P', 6), profile)
      expect([cause.code, causeText(cause)]).toEqual([
        'class.short',
        'The only host with resource class CUSTOM_P does not take it. h0: CUSTOM_P: 6 needed, 5 free.',
      ])
    })
  },
)

test('an amount above total and max_unit is refused because of the total, and below UNITS_BEFORE_FREE because too little is free', () => {
  const codesAt = (level: number) => {
    const { checksOf } = prepareChecks(
      fleetWith({ resourceClass: 'CUSTOM_P', total: 4, maxUnit: 3 }, level),
      asksFor('CUSTOM_P', 6),
      profiles[0] as Profile,
    )
    return checksOf(0 as Parameters<typeof checksOf>[0]).flatMap(({ reason }) => reason?.code ?? [])
  }
  expect(codesAt(UNITS_BEFORE_FREE - 1)).toContain('class.short')
  expect(codesAt(FEATURE_LEVEL)).toContain('class.too_little')
})
