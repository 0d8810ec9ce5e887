import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { profileSchema } from '../records/profile.ts'
import { aClaim, aLog, aReport, aRequest } from '../testing/index.ts'
import { type Fact, shortfallOf } from '../text/evidence.ts'
import type { HostIndex } from '../values/host-index.ts'

const inventory = fc
  .record({
    total: fc.integer({ min: 1, max: 4_000 }),
    reserved: fc.nat({ max: 500 }),
    ratioMilli: fc.integer({ min: 1, max: 20_000 }),
    used: fc.nat({ max: 3_000 }),
  })
  .map((given) => ({ ...given, reserved: Math.min(given.total, given.reserved) }))
const upTo = (max: number) => fc.integer({ min: 1, max })
const amounts = fc.record({ VCPU: upTo(40), MEMORY_MB: upTo(4_000), DISK_GB: upTo(400) })

/** Computes the free amount with BigInt, independently of the code under test. */
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

test('needed and free amounts in the facts equal an independent computation, for each resource class and in both of its filters', () => {
  fc.assert(
    fc.property(fc.tuple(inventory, inventory, inventory), amounts, amounts, amounts, (given, claimed, picked, asked) => {
      const log = aLog()
      const inventories = classes.map((resourceClass, i) => {
        const { total, reserved, ratioMilli, used } = given[i] as (typeof given)[number]
        return { resourceClass, total, reserved, allocationRatio: ratioMilli / 1_000, used }
      })
      // the first report has enough capacity for the claims, and the second report has the generated values
      log.append([aReport('h1', { vcpus: 1_000, memoryMb: 1_000_000, localGb: 100_000 })])
      expect(log.append([aClaim({ hosts: ['h1'], grants: { classes: claimed } })])).toEqual([undefined])
      log.append([aReport('h1', { inventories }, 2)])
      const request = aRequest({ flavor: { vcpus: asked.VCPU, memoryMb: asked.MEMORY_MB, rootGb: asked.DISK_GB } })
      const overlay = openOverlay(log.fleet)
      for (const part of aClaim({ hosts: ['h1'], key: 'other', grants: { classes: picked } }).parts) overlay.hold(part, null)
      const checks = prepareChecks(log.fleet, request, profile).checksOf(0 as HostIndex)
      overlay.discard()
      for (const [i, resourceClass] of classes.entries()) {
        const own = given[i] as (typeof given)[number]
        const required = asked[resourceClass]
        const actual = freeOf(own, claimed[resourceClass] + picked[resourceClass])
        const isShort = required > actual && required > 0
        const check = checks.find(({ filter }) => filter === filterOf[resourceClass])
        const fact = check?.facts?.find(({ terms }) => terms?.some(({ name }) => name === 'claimed'))
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

function expectTerms({ terms = [], requiredFrom, actualFrom }: Fact, given: Record<string, number>): void {
  const of = Object.fromEntries(terms.map(({ name, value }) => [name, value]))
  const { total, reserved, ratioMilli, used, claimed = 0, picked = 0 } = given
  expect(of).toEqual({ total, reserved, ratio: (ratioMilli ?? 0) / 1_000, used, claimed: claimed + picked })
  expect(requiredFrom.kind).toBe('request')
  expect(actualFrom).toMatchObject({ kind: 'report', report: { sequence: 2 } })
  const { claims } = terms.find(({ name }) => name === 'claimed')?.from ?? {}
  expect(claims).toMatchObject({ count: claimed > 0 ? 1 : 0, picked })
  expect(claims?.ending.length).toBe(claimed > 0 ? 1 : 0)
}

/** A log with the report of one host. */
const aHost = (report: ReturnType<typeof aReport>): ReturnType<typeof aLog> => {
  const log = aLog()
  log.append([report])
  return log
}

/** The facts of one filter about the first host. */
const factsBy = (filter: string, log: ReturnType<typeof aLog>, request: Parameters<typeof aRequest>[0]): readonly Fact[] => {
  const all = profileSchema.parse({
    name: 'p',
    number: 1,
    filters: [{ name: 'ImagePropertiesFilter' }, { name: 'DiskFilter' }],
    weighers: [],
  })
  const checks = prepareChecks(log.fleet, aRequest(request), all).checksOf(0 as HostIndex)
  return checks.find((check) => check.filter === filter)?.facts ?? []
}

test.each([
  ['with a root disk on the host', false, 'flavor.rootGb + ephemeralGb + swapMb', 11],
  ['without the root disk, which is on a volume', true, 'flavor.ephemeralGb + swapMb', 6],
] as const)('the source of the needed disk is the sum of the fields: %s', (_what, isBfv, ref, required) => {
  const log = aHost(aReport('h1', { localGb: 5 }))
  const [fact] = factsBy('DiskFilter', log, { flavor: { vcpus: 1, memoryMb: 1, rootGb: 5, ephemeralGb: 5, swapMb: 1_000 }, isBfv })
  expect([fact?.requiredFrom, fact?.required]).toEqual([{ kind: 'request', ref }, required])
})

test.each([
  [{ properties: { hw_architecture: 'arm' } }, 'hw_architecture'],
  [{ properties: { architecture: 'arm', hypervisor_type: 'xen' } }, 'architecture, hypervisor_type'],
  [{ architecture: 'arm', properties: { hw_vm_mode: 'hvm' } }, 'architecture, hw_vm_mode'],
])("the source of an image's need is the property that sets it: %j", (image, ref) => {
  const log = aHost(aReport('h1'))
  const [fact] = factsBy('ImagePropertiesFilter', log, { image })
  expect(fact?.requiredFrom).toEqual({ kind: 'image_property', ref })
})

test('if forced nodes cause a refusal, its source is the field forceNodes', () => {
  const [fact] = factsBy('Candidates', aHost(aReport('h1')), { forceNodes: ['n'] })
  expect(fact?.requiredFrom).toEqual({ kind: 'request', ref: 'forceNodes' })
})

test('if the stored limit of a group is stricter than the requested limit, the stored limit is the required value', () => {
  const group = { uuid: '00000000-0000-4000-8000-000000000001', policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
  const log = aHost(aReport('h1'))
  expect(log.append([aClaim({ hosts: ['h1'], group })])).toEqual([undefined])
  const asked = (maxServerPerHost: number | null) =>
    factsBy('ServerGroupAntiAffinityFilter', log, { instanceGroup: { ...group, maxServerPerHost, hosts: [] } })[0]
  expect(asked(1)).toMatchObject({ required: 'fewer than 1', actual: 1, requiredFrom: { ref: `${group.uuid} maxServerPerHost` } })
  expect(asked(3)).toMatchObject({
    required: 'fewer than 1',
    actual: 1,
    requiredFrom: { ref: `${group.uuid} maxServerPerHost, as it is bound` },
  })
})

test('the source of the free share of a claimed GPU is the report, less what is claimed', () => {
  const log = aHost(aReport('h1', { gpus: [{ index: 0, model: 'A', usedMilli: null }] }))
  expect(log.append([aClaim({ hosts: ['h1'], grants: { gpu: [{ index: 0, milli: 600 }] } })])).toEqual([undefined])
  const [fact] = factsBy('GpuFilter', log, { gpus: { count: 1, shareMilli: 500 } })
  expect(fact?.terms).toMatchObject([{ name: 'GPU 0 free, thousandths', value: 400, from: { kind: 'report' } }])
  expect(fact?.terms?.[0]?.from.ref).toMatch(/^sequence 1, .*, less what is claimed$/)
})
