import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Profile, type ProfileInput, profileSchema } from '../../records/profile.ts'
import { createRandom } from '../../values/random.ts'
import { createTieOrder } from './pick.ts'
import { pick } from './picked.suite.ts'
import type { Weighed } from './run-weighers.ts'

const aProfile = (parts: Partial<ProfileInput>): Profile =>
  profileSchema.parse({ name: 'p', number: 1, filters: [], weighers: [], ...parts })

/** Hosts in random order with few distinct totals. Therefore most hosts have the same total as another host. */
const weighedHosts = fc
  .uniqueArray(fc.nat(5_000), { minLength: 1, maxLength: 90 })
  .chain((hosts) =>
    fc.record({ hosts: fc.constant(hosts), totals: fc.array(fc.nat(3), { minLength: hosts.length, maxLength: hosts.length }) }),
  )

const given = fc.record({
  weighed: weighedHosts,
  tieOrder: fc.constantFrom('first-seen' as const, 'seeded' as const),
  hostSubsetSize: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 100 })),
  want: fc.integer({ min: 1, max: 100 }),
  seed: fc.string(),
})

type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never

const picked = ({ weighed: { hosts, totals }, tieOrder, hostSubsetSize, want, seed }: Given) => {
  const profile = aProfile({ tieOrder, hostSubsetSize })
  const weighed: Weighed = { hosts: Int32Array.from(hosts), weighers: [], totals: Float64Array.from(totals) }
  return pick(weighed, want, profile, createTieOrder(profile, seed), createRandom(seed))
}

test('with any tie order the chosen host is among the hostSubsetSize best hosts', () => {
  fc.assert(
    fc.property(given, (input) => {
      const { hosts, totals } = input.weighed
      const found = picked(input)
      if (found === undefined) return false
      const better = totals.filter((total) => total > (totals[hosts.indexOf(found.host)] as number)).length
      expect(better).toBeLessThan(input.hostSubsetSize)
      expect(better).toBeLessThanOrEqual(found.rank)
      // The hosts are ranked by their totals. The tie order only decides between equal totals.
      const ranked = found.ranked.map((position) => totals[position] as number)
      expect(ranked).toEqual([...totals].sort((a, b) => b - a).slice(0, ranked.length))
      return true
    }),
    { seed: 20261122 },
  )
})

test('the same seed gives the same choice, and with the tie order first-seen every seed gives the same choice', () => {
  fc.assert(
    fc.property(given, fc.string(), (input, other) => {
      expect(picked(input)).toEqual(picked(input))
      const fixed = { ...input, tieOrder: 'first-seen' as const, hostSubsetSize: 1 }
      expect(picked(fixed)).toEqual(picked({ ...fixed, seed: other }))
    }),
    { seed: 20261122 },
  )
})
