import { expect, test } from 'vitest'
import type { DecisionRecord } from '../records/decision.ts'
import { type Profile, type ProfileInput, profileRef, profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import { replay, replayOtherwise, withProposals } from './replay.ts'
import { isUnsolved } from './unsolved.ts'

const version = (number: number, more: Partial<ProfileInput> = {}): Profile =>
  profileSchema.parse({
    ...{ name: 'site', number, filters: [{ name: 'ComputeFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] },
    ...more,
  })
const greedy = version(1)
const solving = version(2, { scheduler: 'solver' })
const noted = version(3, { scheduler: 'solver', note: 'the same, said better' })
const packing = version(4, { scheduler: 'solver', weighers: [{ name: 'RAMWeigher', multiplier: -1 }] })

const fleet = aFleet({ one: {}, two: {} })
for (const profile of [greedy, solving, noted, packing])
  fleet.apply({
    ...{ format: 1, id: profileRef(profile), writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }] },
    ...{ revision: fleet.place.revision + 1, at: 1_000 },
  })

function decidedBy(profile: Profile, numInstances: number): DecisionRecord {
  const request = aRequest({ numInstances })
  const claimIds = new Array<string>(numInstances).fill('c')
  const asked = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds }
  return withProposals(fleet, [], (overlay) => decide(fleet, overlay, asked)).record
}

test.each([
  ['two instances, by a version without a solver', decidedBy(greedy, 2), solving, true],
  ['two instances, by a solver with different weighers', decidedBy(solving, 2), packing, true],
  ['two instances, by an equivalent version', decidedBy(solving, 2), noted, false],
  ['two instances that a version without a solver decides again', decidedBy(solving, 2), greedy, false],
  ['one instance', decidedBy(greedy, 1), solving, false],
  ['a claim that left its host, possibly with others', { ...decidedBy(greedy, 1), intent: 'EVACUATE' as const }, solving, true],
  ['a claim that left its host alone', { ...decidedBy(solving, 1), intent: 'EVACUATE' as const }, packing, false],
])('isUnsolved returns true only if a solver would have to be called: %s (%#)', (_what, record, profile, expected) => {
  expect(isUnsolved(fleet, record, profile)).toBe(expected)
})

test('a version with a solver that was not called cannot decide, and the version of the decision can be replayed', () => {
  const record = decidedBy(solving, 2)
  expect(() => replayOtherwise(fleet, [], record, packing)).toThrow(new RangeError('the solver of site@4 was not called for this decision'))
  expect(replayOtherwise(fleet, [], record, solving)).toEqual(replay(fleet, [], record))
})
