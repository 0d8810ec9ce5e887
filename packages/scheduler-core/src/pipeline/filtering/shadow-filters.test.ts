import { describe, expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { type ProfileInput, profileLevel, profileSchema } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aRequest } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { parseProfile } from '../compile.ts'

const hosts = { h1: { memoryMb: 512 }, h2: { memoryMb: 8_192, traits: ['HW_A'] }, h3: { memoryMb: 16_384 } }
const request = aRequest({ flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'trait:HW_A': 'required' } } })
const aProfile = (parts: Partial<ProfileInput>) =>
  profileSchema.parse({ name: 'p', number: 1, filters: [], weighers: [{ name: 'RAMWeigher', multiplier: 1 }], ...parts })
const withTraits = (shadow: boolean, compat: Partial<ProfileInput> = {}) =>
  aProfile({ filters: [{ name: 'RamFilter' }, { name: 'TraitsFilter', shadow }], ...compat })

function decided(profile: ReturnType<typeof aProfile>) {
  const fleet = aFleet(hosts)
  const overlay = openOverlay(fleet)
  const input = { id: 'd', seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
  const { parts, record } = decide(fleet, overlay, { ...input, request, profile })
  overlay.discard()
  return { host: parts[0]?.host, filters: record.instances[0]?.filters.map(({ filter }) => filter) }
}

describe('a filter in shadow mode', () => {
  test('a filter in shadow mode refuses no host, and does not change the decision', () => {
    expect(decided(withTraits(false)).host).toBe('h2')
    expect(decided(withTraits(true))).toEqual(decided(aProfile({ filters: [{ name: 'RamFilter' }] })))
    expect(decided(withTraits(true)).host).toBe('h3')
  })

  test('a filter in shadow mode refuses no host in a profile with compat: nova', () => {
    const filters = [{ name: 'NumInstancesFilter', options: { max_instances_per_host: 1 }, shadow: true }]
    const nova = (list: ProfileInput['filters']) => aProfile({ compat: 'nova', filters: list, weighers: [] })
    expect(decided(nova(filters))).toEqual(decided(nova([])))
  })

  test('an explanation counts the hosts that a filter in shadow mode would refuse, and the hosts stay in the funnel', () => {
    const fleet = aFleet(hosts)
    const profile = withTraits(true)
    const found = examine(fleet, request, profile, 's')
    expect(atOnce(found.shadows())).toMatchObject([
      { filter: 'TraitsFilter', asked: true, wouldRefuse: 2, ofThosePassing: 1, reasons: [{ code: 'trait.missing', hosts: 2 }] },
    ])
    expect(found.steps.map(({ filter }) => filter)).not.toContain('TraitsFilter')
    expect(found.steps.at(-1)?.passed).toBe(2)
    expect(atOnce(examine(fleet, aRequest(), profile, 's').shadows())).toMatchObject([{ asked: false, wouldRefuse: 0 }])
  })

  test('a profile with a filter in shadow mode needs feature level 4', () =>
    expect([profileLevel(withTraits(true)), profileLevel(withTraits(false))]).toEqual([4, 1]))

  test('a filter that checks claims cannot be in shadow mode', () => {
    const parsed = parseProfile({ name: 'p', number: 1, filters: [{ name: 'ResourceClassFilter', shadow: true }], weighers: [] })
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ path: ['filters', '0', 'shadow'], message: expect.stringContaining('a rule that every claim must satisfy') }],
    })
  })
})
