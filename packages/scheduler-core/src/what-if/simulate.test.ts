import { describe, expect, test } from 'vitest'
import { examineAgain } from '../decision/replay.ts'
import { checkpointOf } from '../fleet/checkpoint.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { aFleet, aRequest, aUuid } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { atOnce } from '../values/steps.ts'
import { type SimulatedRequest, type SimulateOptions, simulate } from './simulate.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as (typeof builtInProfiles)[number]

const run = (fleet: Fleet, requests: readonly SimulatedRequest[], more: Partial<SimulateOptions> & { readonly by?: string } = {}) =>
  atOnce(simulate(fleet, { requests, profile: profileNamed(more.by ?? 'default'), seed: 's', isOver: () => false, ...more }))

describe.each(['default', 'random', 'nova-compat'])('a simulation by the profile %s', (by) => {
  test('places requests until the fleet is full, and has reasons for the requests that are not placed', () => {
    const fleet = aFleet({ h1: { vcpus: 2 }, h2: { vcpus: 1 } })
    const before = canonicalJson(checkpointOf(fleet))
    const { decisions, placed, failed, notDecided, ...use } = run(fleet, [{ request: aRequest(), count: 5 }], { by })
    expect([placed, failed, notDecided]).toEqual([3, 2, 0])
    expect(decisions.map(({ copy, outcome }) => `${copy} ${outcome}`)).toEqual([
      '0 PLACED',
      '1 PLACED',
      '2 PLACED',
      '3 NO_VALID_HOST',
      '4 NO_VALID_HOST',
    ])
    expect(decisions[4]?.reasons.reduce((sum, { hosts }) => sum + hosts, 0)).toBe(2)
    const cpus = ({ usage }: (typeof use.after)[number]) => usage.find(({ resourceClass }) => resourceClass === 'VCPU')
    expect(use.before.map(cpus)).toEqual([{ resourceClass: 'VCPU', capacity: 3, used: 0, claimed: 0, free: 3 }])
    expect(use.after.map(cpus)).toEqual([{ resourceClass: 'VCPU', capacity: 3, used: 3, claimed: 3, free: 0 }])
    // the simulation leaves the fleet unchanged
    expect(canonicalJson(checkpointOf(fleet))).toBe(before)
  })

  test('places the same instances on the same hosts if the seed is the same', () => {
    const hosts = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`h${i}`, {}]))
    const hostsOf = (seed: string) =>
      run(aFleet(hosts), [{ request: aRequest(), count: 8 }], { by, seed }).decisions.flatMap(({ decided }) =>
        decided.parts.map(({ host }) => host),
      )
    expect(hostsOf('a')).toEqual(hostsOf('a'))
  })
})

test('ANTI_AFFINITY applies across all requests, and a request for two instances is placed as a whole or not at all', () => {
  const instanceGroup = { uuid: aUuid(1), policy: 'ANTI_AFFINITY' as const }
  const { decisions, placed, failed } = run(aFleet({ h1: {}, h2: {}, h3: {} }), [
    { request: aRequest({ numInstances: 2, instanceGroup }), count: 2 },
    { request: aRequest({ instanceGroup }), count: 1 },
  ])
  expect(decisions.map(({ outcome, decided }) => [outcome, decided.found])).toEqual([
    ['PLACED', 2],
    ['NO_VALID_HOST', 1],
    ['PLACED', 1],
  ])
  expect([placed, failed]).toEqual([3, 2])
  expect(decisions[1]?.reasons).toMatchObject([{ code: 'group.anti_affinity', hosts: 3 }])
})

test('a decision of a simulation can be examined on the state in which it was made', () => {
  const fleet = aFleet({ h1: { vcpus: 2 }, h2: { vcpus: 2 } })
  const { decisions, proposals } = run(fleet, [{ request: aRequest(), count: 5 }])
  const passing = decisions.map(({ before, decided }) =>
    examineAgain(fleet, proposals.slice(0, before), decided.record, 0, ({ weighed }) => weighed.hosts.length),
  )
  expect(passing).toEqual([2, 2, expect.any(Number), 1, 0])
})

test('requests after the deadline are not decided', () => {
  let left = 3
  const { placed, failed, notDecided } = run(aFleet({ h1: {} }), [{ request: aRequest(), count: 9 }], { isOver: () => left-- === 0 })
  expect([placed, failed, notDecided]).toEqual([3, 0, 6])
})
