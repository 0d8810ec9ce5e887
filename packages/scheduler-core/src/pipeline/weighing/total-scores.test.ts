import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Profile } from '../../records/profile.ts'
import { NumberBuffers } from '../../values/number-buffers.ts'
import { atOnce, WHOLE } from '../../values/steps.ts'
import { runWeighers, type WeighStep } from './run-weighers.ts'
import { totalScores } from './total-scores.ts'

const HOSTS = 40

/** Raw scores of all hosts. Some weighers give invalid scores, equal scores, or only scores below their minimum. */
const scores = fc.oneof(
  fc.array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.double(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY)), {
    minLength: HOSTS,
    maxLength: HOSTS,
  }),
  fc.constantFrom(0, 7, Number.NaN).map((value) => new Array<number>(HOSTS).fill(value)),
)

const weighers = fc.array(
  fc.record({
    raw: scores,
    multiplier: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ min: -10, max: 10, noNaN: true })),
    own: fc.option(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: HOSTS, maxLength: HOSTS }), { nil: undefined }),
    minval: fc.constantFrom(undefined, 0, 3),
    hasNoEffect: fc.nat({ max: 3 }).map((drawn) => drawn === 0),
    normalisation: fc.constantFrom<Profile['normalisation']>('minmax', 'fixed', 'rank'),
  }),
  { maxLength: 4 },
)

const numbersOf =
  (of: readonly number[]): WeighStep['rawOf'] =>
  (hosts, into = new Float64Array(hosts.length)) => {
    for (let i = 0; i < hosts.length; i++) into[i] = of[hosts[i] as number] as number
    return into
  }

test('the totals and raw scores are those of runWeighers to the last bit, in one step and in slices', () => {
  fc.assert(
    fc.property(weighers, fc.subarray([...new Array(HOSTS).keys()]), fc.constantFrom(WHOLE, 1, 7), (given, chosen, slice) => {
      const hosts = Int32Array.from(chosen)
      const steps = given.map(
        ({ raw, own, ...step }, i): WeighStep => ({
          ...{ ...step, name: `W${i}`, unit: 'points', readsHostOnly: true },
          multipliersOf: own && numbersOf(own),
          ...{
            scoreAt: (host) => raw[host] as number,
            scoreKey: undefined,
            isPlain: false,
            multiplierAt: undefined,
            multiplierKey: undefined,
          },
          rawOf: numbersOf(step.hasNoEffect ? new Array<number>(HOSTS).fill(0) : raw),
        }),
      )
      const expected = runWeighers(steps, hosts)
      for (let time = 0; time < 2; time++) {
        const buffers = new NumberBuffers()
        const found = atOnce(totalScores(steps, hosts, buffers, slice))
        expect([...found.totals]).toEqual([...expected.totals])
        expect(found.raw.map((raw) => [...raw])).toEqual(expected.weighers.map(({ raw }) => [...raw]))
        buffers.end()
      }
    }),
  )
})

test('an array that was given back is used again, and one that is in use is not', () => {
  const first = new NumberBuffers()
  const [a, b] = [first.take(1_000), first.take(1_000)]
  expect(a.buffer).not.toBe(b.buffer)
  first.end()
  const second = new NumberBuffers()
  const again = second.take(900)
  expect([a.buffer, b.buffer]).toContain(again.buffer)
  expect(again).toHaveLength(900)
  second.end()
})
