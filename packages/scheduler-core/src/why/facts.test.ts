import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Fact, shortfallOf } from '../evidence.ts'
import type { HostIndex } from '../fleet/columns.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { prepareChecks } from '../pipeline/examine.ts'
import { profileSchema } from '../profiles/profile.ts'
import { aClaim, aLog, aReport, aRequest } from '../testing/index.ts'

const inventory = fc
  .record({
    total: fc.integer({ min: 1, max: 4_000 }),
    reserved: fc.nat({ max: 500 }),
    ratioMilli: fc.integer({ min: 1, max: 20_000 }),
    used: fc.nat({ max: 3_000 }),
  })
  .map((told) => ({ ...told, reserved: Math.min(told.total, told.reserved) }))
const upTo = (max: number) => fc.integer({ min: 1, max })
const amounts = fc.record({ VCPU: upTo(40), MEMORY_MB: upTo(4_000), DISK_GB: upTo(400) })

/** What is left, in big integers and in one expression: nothing of the core. */
const freeOf = ({ total, reserved, ratioMilli, used }: typeof inventory extends fc.Arbitrary<infer T> ? T : never, taken: number): number =>
  Number((BigInt(Math.max(0, total - reserved)) * BigInt(ratioMilli)) / 1_000n) - used - taken

const classes = ['VCPU', 'MEMORY_MB', 'DISK_GB'] as const
const filterOf = { VCPU: 'CoreFilter', MEMORY_MB: 'RamFilter', DISK_GB: 'DiskFilter' } as const
const profile = profileSchema.parse({
  name: 'p',
  number: 1,
  filters: [...Object.values(filterOf), 'ResourceClassFilter'].map((name) => ({ name })),
  weighers: [],
})

test('needed, there and missing are what arithmetic of its own says, for every class, by the filter and by its kind', () => {
  fc.assert(
    fc.property(fc.tuple(inventory, inventory, inventory), amounts, amounts, amounts, (told, claimed, picked, asked) => {
      const log = aLog()
      const inventories = classes.map((resourceClass, i) => {
        const { total, reserved, ratioMilli, used } = told[i] as (typeof told)[number]
        return { resourceClass, total, reserved, allocationRatio: ratioMilli / 1_000, used }
      })
      // roomy at first, so that the claims fit; then the report that counts
      log.append([aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000, localGb: 100_000 })])
      expect(log.append([aClaim({ hosts: ['h1'], grants: { classes: claimed } })])).toEqual([undefined])
      log.append([aReport('h1', { inventories }, 2)])
      const request = aRequest({ flavor: { vcpus: asked.VCPU, memoryMb: asked.MEMORY_MB, rootGb: asked.DISK_GB } })
      const overlay = openOverlay(log.fleet)
      for (const part of aClaim({ hosts: ['h1'], key: 'other', grants: { classes: picked } }).parts) overlay.hold(part, null)
      const checks = prepareChecks(log.fleet, request, profile).checksOf(0 as HostIndex)
      overlay.discard()
      for (const [i, resourceClass] of classes.entries()) {
        const own = told[i] as (typeof told)[number]
        const required = asked[resourceClass]
        const actual = freeOf(own, claimed[resourceClass] + picked[resourceClass])
        const isShort = required > actual && required > 0
        const check = checks.find(({ filter }) => filter === filterOf[resourceClass])
        const fact = check?.facts?.find(({ terms }) => terms !== undefined)
        expect(fact !== undefined).toBe(isShort)
        const ofKind = checks
          .find(({ filter }) => filter === 'ResourceClassFilter')
          ?.facts?.find(({ subject }) => subject === resourceClass)
        if (isShort) expect(ofKind).toEqual({ ...fact, unit: resourceClass })
        if (fact === undefined) continue
        expect([fact.required, fact.actual, shortfallOf(fact)]).toEqual([required, actual, required - actual])
        expectTerms(fact, { ...own, claimed: claimed[resourceClass], picked: picked[resourceClass] })
      }
    }),
    { numRuns: 100 },
  )
})

function expectTerms({ terms = [], requiredFrom, actualFrom }: Fact, told: Record<string, number>): void {
  const of = Object.fromEntries(terms.map(({ name, value }) => [name, value]))
  const { total, reserved, ratioMilli, used, claimed = 0, picked = 0 } = told
  expect(of).toEqual({ total, reserved, ratio: (ratioMilli ?? 0) / 1_000, used, claimed: claimed + picked })
  expect(requiredFrom.kind).toBe('request')
  expect(actualFrom).toMatchObject({ kind: 'report', report: { sequence: 2 } })
  const { claims } = terms.find(({ name }) => name === 'claimed')?.from ?? {}
  expect(claims).toMatchObject({ count: claimed > 0 ? 1 : 0, picked })
  expect(claims?.ending.length).toBe(claimed > 0 ? 1 : 0)
}
