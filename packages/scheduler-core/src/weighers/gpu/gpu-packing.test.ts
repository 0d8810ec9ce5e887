import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { aLog, aReport, aRequest } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { PACKED_IDLE_GPUS } from '../../values/levels.ts'
import { gpuPackingWeigher } from './gpu-packing.ts'

const WHOLE = 1_000
const MOST_GPUS = 60

type Ask = { readonly count: number; readonly shareMilli: number }

/** The score of a host whose GPUs have these used amounts, in thousandths. */
function scoreOf(used: readonly number[], gpus: Ask, level = PACKED_IDLE_GPUS): number {
  const log = aLog()
  log.append([{ type: 'feature', level }])
  log.append([aReport('h1', { gpus: used.map((usedMilli, index) => ({ index, usedMilli })) })])
  return gpuPackingWeigher.prepare(aRequest({ gpus }), log.fleet, {}, 1)(0 as HostIndex)
}

const fits = (used: readonly number[], { count, shareMilli }: Ask): boolean =>
  used.filter((one) => WHOLE - one >= shareMilli).length >= count

const anyUse = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: WHOLE }))
const anyUses = fc
  .oneof(anyUse, fc.constant(0))
  .chain((one) => fc.array(one === 0 ? fc.constant(0) : anyUse, { minLength: 1, maxLength: MOST_GPUS, size: 'max' }))
const anyAsk: fc.Arbitrary<Ask> = fc.oneof(
  fc.record({ count: fc.constant(1), shareMilli: fc.integer({ min: 1, max: WHOLE }) }),
  fc.record({ count: fc.integer({ min: 1, max: 32 }), shareMilli: fc.constant(WHOLE) }),
)

describe('GpuPackingWeigher prefers hosts with fewer idle GPUs', () => {
  const assert = (better: (used: readonly number[], ask: Ask, at: number) => readonly number[]): void =>
    fc.assert(
      fc.property(anyUses, anyAsk, fc.nat(MOST_GPUS), (used, ask, at) => {
        fc.pre(fits(used, ask))
        expect(scoreOf(better(used, ask, at % used.length), ask)).toBeLessThanOrEqual(scoreOf(used, ask))
      }),
      { seed: 17, numRuns: byExtent(300, 5_000) },
    )

  test('a further idle GPU never gives a host a higher score', () => assert((used) => [...used, 0]))

  test('a GPU that becomes idle never gives a host a higher score', () => assert((used, _ask, at) => used.with(at, 0)))

  test('every host with only idle GPUs has a lower score than every host that uses idle GPUs next to GPUs in use', () => {
    for (let idle = 1; idle <= MOST_GPUS; idle++)
      for (const shareMilli of [1, WHOLE]) {
        const host = Array.from({ length: idle }, () => 0)
        expect(scoreOf(host, { count: 1, shareMilli })).toBeLessThan(scoreOf([WHOLE, ...host], { count: 1, shareMilli }))
      }
  })
})

test('below the level of this rule the score of idle hosts rises above 17 GPUs, so that recorded decisions are replayed', () => {
  const idle = (count: number) => Array.from({ length: count }, () => 0)
  const ask = { count: 1, shareMilli: WHOLE }
  expect([16, 17, 40].map((count) => scoreOf(idle(count), ask, PACKED_IDLE_GPUS - 1))).toEqual([17, 17, 40])
  expect([16, 17, 40].map((count) => scoreOf(idle(count), ask))).toEqual([17, 16, 0])
})
