import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { checkpointOf } from '../../fleet/checkpoint.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aClaim, aFleet, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { atOnce } from '../../values/steps.ts'
import { simulate } from '../simulate.ts'
import { edit } from '../testing.ts'
import { type WhatWouldFitOptions, whatWouldFit } from './what-would-fit.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile
const ask = (fleet: Fleet, request: RequestSpec, more: Partial<WhatWouldFitOptions> = {}) =>
  atOnce(
    whatWouldFit(fleet, {
      request,
      profile: profileNamed('default'),
      seed: 's',
      kinds: ['REQUEST', 'FLEET', 'POLICY'],
      maxChanges: 2,
      first: 10,
      minHosts: 1,
      maxRuns: 80,
      isOver: () => false,
      ...more,
    }),
  )

/** Checks each proposal: if its changes are applied, a simulation places the request. */
function expectPlaced(fleet: Fleet, { counterfactuals }: ReturnType<typeof ask>, profile = profileNamed('default')): void {
  for (const { request, edits, filters, text } of counterfactuals) {
    const own = edit(copyFleet(fleet), edits)
    const decided = { ...profile, filters: filters ?? profile.filters }
    const { failed } = atOnce(simulate(own, { requests: [{ request, count: 1 }], profile: decided, seed: 's', isOver: () => false }))
    expect([text, failed]).toEqual([text, 0])
  }
}

describe('what would make a request fit', () => {
  const town = (): Fleet => {
    const log = aLog()
    log.append([
      aReport('near', { memoryMb: 8_192 }),
      aReport('far', { memoryMb: 4_096 }),
      aReport('elsewhere', { memoryMb: 65_536 }),
      aReport('closed', { memoryMb: 65_536 }),
    ])
    log.append([
      {
        type: 'aggregate',
        uuid: aUuid(1),
        expectedVersion: 0,
        next: { name: 'zone', hosts: ['near', 'far', 'closed'], metadata: { availability_zone: 'az1' } },
      },
      { type: 'status', host: 'closed', node: 'closed', status: 'DISABLED', reason: 'disk swap' },
    ])
    log.append([aClaim({ hosts: ['near'] })])
    return log.fleet
  }
  const request = aRequest({ memoryMb: 8_192, availabilityZone: 'az1' })

  test('the proposals cover request, fleet and policy, least effort first, and each of them makes the request fit', () => {
    const fleet = town()
    const before = canonicalJson(checkpointOf(fleet))
    const found = ask(fleet, request)
    expect(canonicalJson(checkpointOf(fleet))).toBe(before)
    expect(found).toMatchObject({ fits: false, cut: null })
    const texts = found.counterfactuals.map(({ text }) => text)
    expect(texts).toContain('request: memory 8192 MiB -> 7168 MiB: unlocks 1 host (near)')
    expect(texts).toContain('request: availability zone az1 -> any: unlocks 1 host (elsewhere)')
    // an operator disabled the host `closed`, so enabling it is not proposed if a change of the request suffices
    expect(texts.some((text) => text.includes('host closed'))).toBe(false)
    expect(texts.some((text) => text.startsWith('fleet: reservations on near'))).toBe(true)
    expect(texts).toContain('policy: MEMORY_MB allocation ratio of host near 1 -> 1.125: unlocks 1 host (near)')
    const efforts = found.counterfactuals.map(({ effort }) => effort)
    expect(efforts).toEqual(efforts.toSorted((a, b) => a - b))
    expectPlaced(fleet, found)
  })

  test('the options kinds, first and minHosts limit which changes are proposed, how many, and for how many passing hosts', () => {
    expect(new Set(ask(town(), request, { kinds: ['POLICY'] }).counterfactuals.map(({ kind }) => kind))).toEqual(new Set(['POLICY']))
    expect(ask(town(), request, { first: 2 }).counterfactuals).toHaveLength(2)
    const wide = ask(town(), request, { minHosts: 2 })
    expect(wide.counterfactuals.length).toBeGreaterThan(0)
    for (const { unlocks } of wide.counterfactuals) expect(unlocks).toBeGreaterThanOrEqual(2)
    expectPlaced(town(), wide)
  })

  test('two changes are proposed together only if one of them does not suffice', () => {
    const fleet = aFleet({ h1: { memoryMb: 2_048, vcpus: 2 } })
    const asked = aRequest({ memoryMb: 4_096, vcpus: 4 })
    expect(ask(fleet, asked, { maxChanges: 1, kinds: ['REQUEST'] }).counterfactuals).toEqual([])
    const found = ask(fleet, asked, { kinds: ['REQUEST'] })
    expect(found.counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} ${to}`).sort())).toEqual([
      ['memory 2048 MiB', 'vCPUs 2'],
    ])
    expectPlaced(fleet, found)
    const single = ask(aFleet({ h1: { memoryMb: 2_048 } }), aRequest({ memoryMb: 4_096 }))
    expect(single.counterfactuals.filter(({ changes }) => changes.some(({ subject }) => subject === 'memory'))).toHaveLength(1)
  })

  test('the proposed memory is not less than the image needs', () => {
    const texts = (minRamMb: number) =>
      ask(aFleet({ h1: { memoryMb: 2_048 } }), aRequest({ memoryMb: 4_096, image: { minRamMb } }), {
        kinds: ['REQUEST'],
      }).counterfactuals.map(({ text }) => text)
    expect(texts(2_048)).toEqual(['request: memory 4096 MiB -> 2048 MiB: unlocks 1 host (h1)'])
    expect(texts(2_049)).toEqual([])
  })

  test('if not all of several instances fit, fewer instances or smaller instances are proposed', () => {
    const fleet = aFleet({ h1: { memoryMb: 10_000 }, h2: { memoryMb: 3_000 } })
    const found = ask(fleet, aRequest({ memoryMb: 4_000, numInstances: 3 }))
    const texts = found.counterfactuals.map(({ text }) => text)
    expect(texts.some((text) => text.startsWith('request: instances 3 -> 2'))).toBe(true)
    expect(texts.some((text) => text.startsWith('request: memory'))).toBe(true)
    expectPlaced(fleet, found)
  })

  test('the proposed amount for several instances is the largest with which all fit, not the largest for one instance', () => {
    const fleet = aFleet({ h1: { memoryMb: 16_384 } })
    const found = ask(fleet, aRequest({ memoryMb: 6_144, numInstances: 3 }))
    expect(found.counterfactuals[0]?.text).toBe('request: memory 6144 MiB -> 5461 MiB: unlocks 1 host (h1)')
    expectPlaced(fleet, found)
  })

  test('waiting for a reservation is proposed even if the nearest hosts have no reservations', () => {
    const log = aLog()
    log.append([...['a', 'b', 'c'].map((host) => aReport(host, { memoryMb: 8_000 })), aReport('held', { memoryMb: 16_384 })])
    log.append([aClaim({ hosts: ['held'], grants: { classes: { MEMORY_MB: 10_384 } } })])
    const found = ask(log.fleet, aRequest({ memoryMb: 8_192 }), { kinds: ['FLEET'] })
    expect(found.counterfactuals[0]?.text).toBe(
      'fleet: reservations on held -> wait until claim k1.0 expires at 1970-01-01T00:01:01.000Z: unlocks 1 host (held)',
    )
    expectPlaced(log.fleet, found)
  })

  test('for a guest that is too large for a NUMA cell, fewer CPUs or two cells are proposed, but not dropping the topology', () => {
    const numaCells = [0, 1].map((id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 4_096 }))
    const fleet = aFleet({ h1: { numaCells } })
    const cells = [{ id: 0, cpus: [0, 1, 2, 3, 4, 5], memoryMb: 2_048, cpuPolicy: 'dedicated' as const }]
    const found = ask(fleet, aRequest({ vcpus: 6, memoryMb: 2_048, numaTopology: { cells } }))
    expect(found.counterfactuals.map(({ changes }) => changes.map(({ subject, to }) => `${subject} -> ${to}`))).toEqual([
      ['CPUs of each NUMA cell -> 4'],
      ['NUMA topology -> 2 cells'],
    ])
    // the flavor of each proposed request equals the sum of its cells
    expect(found.counterfactuals.map(({ request }) => request.flavor.vcpus)).toEqual([4, 6])
    expectPlaced(fleet, found)
  })

  test('if a reservation holds a part of the only GPU, waiting, the free share, or one more host are proposed', () => {
    const log = aLog()
    log.append([aReport('h1', { gpus: [{ index: 0 }] })])
    log.append([aClaim({ grants: { gpu: [{ index: 0, milli: 400 }] } })])
    const found = ask(log.fleet, aRequest({ gpus: { count: 1 } }))
    expect(found.counterfactuals.map(({ changes }) => changes[0]?.subject)).toEqual(['reservations on h1', 'share of each GPU', 'hosts'])
    expect(found.counterfactuals[1]?.changes[0]).toMatchObject({ from: '100%', to: '60%' })
    expectPlaced(log.fleet, found)
  })

  test('for an anti-affinity group with a member on every host, one more host is proposed', () => {
    const log = aLog()
    log.append([aReport('h1')])
    log.append([aClaim({ mode: 'CONFIRM', grants: {}, group: { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } })])
    const request = aRequest({ instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' } })
    const found = ask(log.fleet, request, { kinds: ['FLEET'] })
    expect(found.counterfactuals.map(({ text }) => text)).toEqual(['fleet: hosts -> one more like h1: unlocks 1 host (h1+1)'])
    expectPlaced(log.fleet, found)
  })

  test('for a request that is placed without changes, the result says so and has no proposals', () => {
    expect(ask(town(), aRequest())).toMatchObject({ fits: true, counterfactuals: [], cause: null })
  })

  test('if all members of a gang fit in a different order, the answer has this order', () => {
    const shape = (vcpus: number) => ({ vcpus, cpuAllocationRatio: 1 })
    const fleet = aFleet({ large: shape(53), small: shape(31) })
    const gang = (first: number, other: number) =>
      aRequest({
        flavor: { name: 'first', vcpus: first, memoryMb: 64 },
        gang: [{ name: 'other', instances: 1, flavor: { vcpus: other, memoryMb: 64 } }],
      })
    const { way } = ask(fleet, gang(30, 50), { kinds: ['POLICY'] })
    expect(way).toMatch(/^All instances fit in another order: other, then first\./)
    expect(ask(fleet, gang(32, 52), { kinds: ['POLICY'] }).way).toBeUndefined()
  })

  test('if no proposal is found, the cause of the refusal is returned with the nearest host', () => {
    const hosts = { h1: { memoryMb: 1_024, vcpus: 1, localGb: 1 }, h2: { memoryMb: 2_048, vcpus: 1, localGb: 1 } }
    const asked = aRequest({ flavor: { vcpus: 4, memoryMb: 8_192, rootGb: 10 } })
    const { counterfactuals, cause } = ask(aFleet(hosts), asked, { kinds: ['REQUEST'] })
    expect(counterfactuals).toEqual([])
    expect(cause).toMatchObject({ admitted: 2, nearest: { name: { host: 'h2' } } })
    const sole = ask(aFleet({ h1: { memoryMb: 1_024 }, h2: { memoryMb: 4_096 } }), aRequest({ memoryMb: 8_192 }), { maxChanges: 1 })
    expect(sole.cause).toMatchObject({ admitted: 2, nearest: { name: { host: 'h2' } } })
    expect(sole.cause?.nearest?.refusals[0]).toMatchObject({ filter: 'RamFilter', reason: { code: 'memory.short', have: 4_096 } })
  })

  test('the search stops after the allowed count of decisions or at the deadline, and the result says which', () => {
    expect(ask(town(), request, { maxRuns: 2 })).toMatchObject({ runs: 2, cut: 'limit' })
    expect(ask(town(), request, { isOver: () => true })).toMatchObject({ runs: 1, cut: 'deadline', counterfactuals: [] })
  })
})

const shapes: fc.Arbitrary<HostShape> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 4 }),
    memoryMb: fc.integer({ min: 1, max: 4 }).map((gib) => gib * 1_024),
    gpus: fc.integer({ min: 0, max: 2 }),
    cells: fc.integer({ min: 0, max: 2 }),
    traits: fc.constantFrom<string[]>([], ['FAST']),
  })
  .map(({ gpus, cells, ...shape }) => ({
    ...shape,
    gpus: Array.from({ length: gpus }, (_, index) => ({ index })),
    numaCells: Array.from({ length: cells }, (_, id) => ({ id, cpuset: [0, 1, 2, 3].map((cpu) => cpu + id * 4), memoryMb: 2_048 })),
  }))

const hard: fc.Arbitrary<RequestSpec> = fc
  .record({
    vcpus: fc.integer({ min: 1, max: 6 }),
    memoryMb: fc.constantFrom(1_024, 4_096, 6_144),
    numInstances: fc.integer({ min: 1, max: 3 }),
    extra: fc.constantFrom<Parameters<typeof aRequest>[0]>(
      {},
      { gpus: { count: 2 } },
      { availabilityZone: 'az9' },
      { requestedResources: [{ amounts: [], requiredTraits: ['FAST'] }] },
      { instanceGroup: { uuid: aUuid(7), policy: 'ANTI_AFFINITY' } },
      { numaTopology: { cells: [{ id: 0, cpus: [0, 1], memoryMb: 3_072, cpuPolicy: 'dedicated' }] } },
      { forceHosts: ['h9'] },
    ),
  })
  .map(({ extra, ...shape }) => aRequest({ ...shape, ...extra }))

describe.each(['default', 'random', 'nova-compat'])('by the profile %s', (name) => {
  test('with the changes of a proposal, a simulation always places the request', () => {
    fc.assert(
      fc.property(fc.array(shapes, { minLength: 1, maxLength: 5 }), hard, (hosts, request) => {
        const fleet = aFleet(Object.fromEntries(hosts.map((shape, i) => [`h${i}`, shape])))
        const profile = profileNamed(name)
        const found = ask(fleet, request, { profile, first: 5, maxRuns: 40 })
        const { placed } = atOnce(simulate(fleet, { requests: [{ request, count: 1 }], profile, seed: 's', isOver: () => false }))
        expect(found.fits).toBe(placed === request.numInstances)
        expect(found.cause === null).toBe(found.fits)
        expectPlaced(fleet, found, profile)
      }),
      { numRuns: byExtent(5, 15) },
    )
  })
})
