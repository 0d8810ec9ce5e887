import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { DecisionRecord, Destination, InstanceRecord, RankedHost, SelectedDestination } from '../records/decision.ts'
import { intents } from '../request/intent.ts'
import { decide } from '../schedulers/decide.ts'
import { aFleet, aRequest, aUuid } from '../testing/index.ts'
import { type KeptDecision, packDecision, unpackDecision } from './packed.ts'

const number = fc.oneof(
  fc.integer({ min: 0, max: 300_000 }),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(-0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 53), 5e-324, Number.MAX_VALUE, 1 / 3),
)
const count = fc.oneof(fc.nat({ max: 10_000 }), fc.maxSafeNat())
const name = fc.oneof(
  fc.constantFrom('compute-0001', 'compute-0002', 'compute-0102.rack1', '', 'RamFilter', 'VCPU'),
  fc.string({ unit: 'binary' }),
)

const ranked: fc.Arbitrary<RankedHost> = fc.record({ host: name, node: name, raw: fc.array(number, { maxLength: 7 }), total: number })
const instance: fc.Arbitrary<InstanceRecord> = fc.record({
  candidates: count,
  filters: fc.array(
    fc.record({ filter: name, entered: number, passed: number, errors: fc.nat() }, { requiredKeys: ['filter', 'entered', 'passed'] }),
  ),
  best: fc.array(ranked, { maxLength: 10 }),
  tied: count,
})
const destination: fc.Arbitrary<Destination> = fc.record({ host: name, node: name, weight: number, limits: fc.dictionary(name, number) })
const selection: fc.Arbitrary<SelectedDestination> = fc.record({
  instance: fc.option(name),
  selected: destination,
  alternates: fc.array(destination, { maxLength: 3 }),
})
const kept: fc.Arbitrary<KeptDecision> = fc.record({
  record: fc.record(
    {
      id: fc.constant(aUuid(1)),
      request: fc.constant(aRequest({ numInstances: 2, instanceUuids: [aUuid(2), aUuid(3)] })),
      profile: name,
      seed: name,
      attempt: count,
      alternatesPerInstance: count,
      allOrNothing: fc.boolean(),
      intent: fc.constantFrom(...intents),
      source: name,
      instances: fc.array(instance, { maxLength: 3 }),
      core: name,
    },
    {
      requiredKeys: ['id', 'request', 'profile', 'seed', 'attempt', 'alternatesPerInstance', 'allOrNothing', 'instances', 'core'],
    },
  ),
  answer: fc.array(selection, { maxLength: 3 }),
})

const again = (decision: KeptDecision): KeptDecision => {
  const packed = packDecision(decision)
  if (packed === undefined) throw new Error('expected a decision that can be packed')
  const { id, request, profile, seed, attempt } = decision.record
  return unpackDecision(packed, { id, request, profile, seed, attempt })
}

test('any decision is restored exactly, to the last bit', () => {
  fc.assert(
    fc.property(kept, (decision) => {
      // toEqual also distinguishes -0 from 0, which differ in one bit
      expect(again(decision)).toEqual(decision)
    }),
    { numRuns: byExtent(80, 300, 1_000) },
  )
})

const fleet = aFleet(
  Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `compute-${String(i).padStart(4, '0')}.example.org`,
      { memoryMb: 65_536 + 1_024 * (i % 7), vcpusUsed: i % 5, numIoOps: i % 3, localGb: 900 + i, gpus: [{ index: 0 }, { index: 1 }] },
    ]),
  ),
)

function decisionBy(profile: (typeof builtInProfiles)[number], request: Parameters<typeof aRequest>[0]): KeptDecision {
  const overlay = openOverlay(fleet)
  const spec = aRequest(request)
  const claimIds = Array.from({ length: spec.numInstances }, (_, i) => aUuid(100 + i))
  const rest = { id: aUuid(1), seed: 'seed', attempt: 1, alternatesPerInstance: 2, allOrNothing: false, claimIds }
  const { record, answer } = decide(fleet, overlay, { ...rest, request: spec, profile })
  overlay.discard()
  return { record, answer }
}

const isPackable = ({ scheduler }: (typeof builtInProfiles)[number]): boolean => scheduler !== 'solver'

test.each(builtInProfiles.filter(isPackable).map((profile) => [profile.name, profile] as const))(
  'a decision by the profile %s is restored exactly',
  (_, profile) => {
    for (const request of [{}, { numInstances: 3 }, { vcpus: 1_000 }, { vcpus: 16, numInstances: 100 }]) {
      const decision = decisionBy(profile, request)
      expect(again(decision)).toEqual(decision)
    }
  },
)

test.each(builtInProfiles.filter((profile) => !isPackable(profile)).map((profile) => [profile.name, profile] as const))(
  'a decision by the profile %s is not packed, because the format cannot contain its solution',
  (_, profile) => expect(packDecision(decisionBy(profile, { numInstances: 3 }))).toBeUndefined(),
)

test('a packed decision of the default profile, without its request, has less than 400 bytes per instance', () => {
  const [profile] = builtInProfiles
  const sizes = [1, 3, 20].map(
    (numInstances) => (packDecision(decisionBy(profile as never, { numInstances }))?.length ?? 1e9) / numInstances,
  )
  expect(Math.max(...sizes)).toBeLessThan(400)
})

test('a decision with fields or values that the format cannot express is not packed', () => {
  const decision = decisionBy(builtInProfiles[0] as (typeof builtInProfiles)[number], {})
  const [first] = decision.record.instances as [InstanceRecord]
  const withRecord = (record: object): KeptDecision => ({ ...decision, record: { ...decision.record, ...record } as DecisionRecord })
  const strange: readonly KeptDecision[] = [
    withRecord({ madeOf: 'something new' }),
    withRecord({ intent: 'TELEPORT' }),
    withRecord({ instances: [{ ...first, shadow: [] }] }),
    withRecord({ instances: [{ ...first, filters: first.filters.map((filter) => ({ ...filter, shadowed: 1 })) }] }),
    withRecord({ instances: [{ ...first, best: first.best.map((host) => ({ ...host, total: null })) }] }),
    withRecord({ alternatesPerInstance: 1.5 }),
    { ...decision, answer: decision.answer.map((one) => ({ ...one, note: '' })) },
  ]
  for (const one of strange) expect(packDecision(one)).toBeUndefined()
})

test('truncated bytes, an unknown format, and additional bytes are refused', () => {
  const decision = decisionBy(builtInProfiles[0] as (typeof builtInProfiles)[number], {})
  const packed = packDecision(decision) as Uint8Array
  for (let length = 0; length < packed.length; length++)
    expect(() => unpackDecision(packed.slice(0, length), decision.record)).toThrow(RangeError)
  expect(() => unpackDecision(Uint8Array.of(9, ...packed.slice(1)), decision.record)).toThrow(
    'packed in format 9; this release reads format 1',
  )
  expect(() => unpackDecision(Uint8Array.of(...packed, 0), decision.record)).toThrow('more bytes than it needs')
})

/** A decision that was packed in format 1. All later releases must be able to unpack it. */
const GOLDEN =
  'AQUwLjEuMAIAASgBBAoAAAAMAAAADQAAABkAAAAKAQAAGGNvbXB1dGUtMDAzMC5leGFtcGxlLm9yZxmBwBBBiR0AAAAQQAd3V4+lJNoBCgwCMTUA/x8AOwAAADBOCQn7CHgBCgwCMDYAgaABAyMAAAAwAVgNVI1TAQsMATAA/78BBRcAAAAgAcNj9h2VmwEKDAIzNgCBIAORAQAAADAcTq3c8f4BCgwCMjcAgaABAyMAAAAwAvgFs/93AQsMATEA/78BBRcAAAAwTOES/Pe/AQoMAjEyAIGgAQMjAAAAMA7oC7WP8AEKDAIzMwAAA1UAAAAw8nLar5kyAQoMAjE4AP8fADsAAAAwQgcbyTj4AQACAQACAUECgcAQAgACAUECgaAQAwACAUECgcAR'

test('a decision that an early release packed can be unpacked', () => {
  const stored = { id: aUuid(1), request: aRequest({}), profile: 'default@0', seed: 'seed', attempt: 1 }
  const decision = unpackDecision(Buffer.from(GOLDEN, 'base64'), stored)
  expect(decision.record.core).toBe('0.1.0')
  expect(decision.record.instances[0]?.filters[0]).toEqual({ filter: 'ComputeFilter', entered: 40, passed: 40 })
  expect(decision.record.instances[0]?.best.map(({ host }) => host.slice(8, 12)).join(' ')).toBe(
    '0030 0015 0006 0000 0036 0027 0021 0012 0033 0018',
  )
  expect(decision.answer[0]?.selected.limits).toEqual({ MEMORY_MB: 67_584, VCPU: 16 })
  expect(Buffer.from(packDecision(decision) as Uint8Array).toString('base64')).toBe(GOLDEN)
})
