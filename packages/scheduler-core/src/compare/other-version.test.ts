import { expect, test } from 'vitest'
import { withProposals } from '../decision/replay.ts'
import { hostKey } from '../hosts/hosts.ts'
import { type Profile, type ProfileInput, profileRef, profileSchema } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aFleet, aRequest } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { decideOtherwise } from './other-version.ts'

const version = (number: number, more: Partial<ProfileInput> = {}): Profile =>
  profileSchema.parse({
    ...{ name: 'site', number, filters: [{ name: 'RamFilter' }], weighers: [{ name: 'RAMWeigher', multiplier: 1 }] },
    ...more,
  })
const roomiest = version(1)
const fullest = version(2, { weighers: [{ name: 'RAMWeigher', multiplier: -1 }] })
const picky = version(3, { filters: [{ name: 'IsolatedHostsFilter', options: { isolated_hosts: ['h0'], isolated_images: ['i'] } }] })

/** A fleet with hosts h0, h1, ... Each host has less memory than the previous host. */
function aSite(count: number) {
  const fleet = aFleet(Object.fromEntries(Array.from({ length: count }, (_, i) => [`h${i}`, { memoryMb: (count - i) * 1_024 + 8_192 }])))
  for (const profile of [roomiest, fullest, picky])
    fleet.apply({
      ...{ format: 1, id: profileRef(profile), writer: 't', basis: fleet.place, changes: [{ type: 'profile', profile }] },
      ...{ revision: fleet.place.revision + 1, at: 1_000 },
    })
  return fleet
}

function compared(count: number, first: Profile, second: Profile, numInstances = 1) {
  const fleet = aSite(count)
  const asked = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, profile: first }
  const claimIds = Array.from({ length: numInstances }, (_, i) => `c${i}`)
  const request = aRequest({ memoryMb: 64, numInstances })
  const { record, parts } = withProposals(fleet, [], (overlay) => decide(fleet, overlay, { ...asked, request, claimIds }))
  return decideOtherwise(fleet, [], record, parts.map(hostKey), second)
}

test.each([3, 40])(
  'each chosen host gets its rank by the other version, even if that rank is far behind the recorded best hosts: of %i hosts',
  (count) => {
    const other = compared(count, roomiest, fullest)
    expect(other.agreement).toBe('ELSEWHERE')
    expect(atOnce(other.ranks())).toEqual({
      instance: 0,
      decided: { host: 'h0', rank: count, because: null },
      other: { host: `h${count - 1}`, rank: count, because: null },
    })
  },
)

test('a host that the other profile version refuses has no rank, and the text names the refusing filter', () => {
  const { decided, other } = atOnce(compared(4, roomiest, picky).ranks()) ?? {}
  expect(other).toEqual({ host: 'h1', rank: 2, because: null })
  expect(decided).toEqual({ host: 'h0', rank: null, because: expect.stringMatching(/^IsolatedHostsFilter refuses it: ./) })
})

test('ranks are reported for the first instance with different hosts, while the earlier instances hold their resources', () => {
  expect(atOnce(compared(3, roomiest, fullest, 3).ranks())).toMatchObject({ instance: 0, decided: { host: 'h0', rank: 3 } })
})

test('if two profile versions choose the same hosts, no ranks are reported', () => {
  expect(atOnce(compared(3, roomiest, version(4, { note: 'the same' })).ranks())).toBeUndefined()
})
