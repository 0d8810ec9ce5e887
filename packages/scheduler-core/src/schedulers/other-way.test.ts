import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { decide } from './decide.ts'
import { findOtherWayInSteps, otherWayText, waysTried } from './other-way.ts'

type Asks = Parameters<typeof aRequest>[0]

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/** Decides a request. Returns the number of placed instances, and the other way to place them that the search finds. */
function otherWayOf(hosts: readonly HostShape[], asks: Asks, profile = profileNamed('default')) {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...hosts.map((shape, i) => aReport(`h${i}`, shape))])
  const request = aRequest(asks)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const input = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds }
  const overlay = openOverlay(log.fleet)
  const placed = decide(log.fleet, overlay, input).parts.length
  overlay.rollback(0)
  const way = atOnce(findOtherWayInSteps(log.fleet, overlay, input))
  const held = overlay.size
  overlay.discard()
  expect(held).toBe(0)
  return { placed, way }
}

const kind = (name: string, vcpus: number, instances = 1, more: object = {}) => ({
  name,
  instances,
  flavor: { vcpus, memoryMb: 64 },
  ...more,
})
const gangOf = (first: number, ...gang: ReturnType<typeof kind>[]): Asks => ({
  flavor: { name: 'first', vcpus: first, memoryMb: 64 },
  numInstances: 1 + gang.reduce((sum, { instances }) => sum + instances, 0),
  gang,
})
const machine = (vcpus: number, more: HostShape = {}): HostShape => ({ vcpus, memoryMb: vcpus * 1_024, ...more })

describe('a refusal that another order or the solver would avoid contains advice', () => {
  test.each<[name: string, hosts: readonly HostShape[], asks: Asks, text: string | undefined]>([
    [
      'E01, volcano #1297: a gang of 30 and 50 CPUs fits on 53 and 31 CPUs only if the larger member is placed first',
      [machine(53), machine(31)],
      gangOf(30, kind('large', 50)),
      'All instances fit in another order: large, then first. Instances are placed in the order of the request and not moved again; a profile with the scheduler SOLVER considers all of them together.',
    ],
    [
      'E01 kind: three kinds fit only if the largest is placed first',
      [machine(10), machine(9), machine(8)],
      gangOf(8, kind('b', 9), kind('c', 10)),
      'All instances fit in another order: c, then b, then first. Instances are placed in the order of the request and not moved again; a profile with the scheduler SOLVER considers all of them together.',
    ],
    [
      'E01 kind: one kind needs the host with GPUs, on which the other kind is placed first',
      [machine(16, { gpus: [{ index: 0 }] }), machine(8)],
      gangOf(8, kind('train', 16, 1, { gpus: { count: 1 } })),
      'All instances fit in another order: train, then first. Instances are placed in the order of the request and not moved again; a profile with the scheduler SOLVER considers all of them together.',
    ],
    [
      'E01 kind: no order of the kinds fits, but placing each instance on the fullest host does',
      [machine(6), machine(5)],
      { ...gangOf(3, kind('large', 5)), numInstances: 3 },
      'All instances fit on the hosts, but not if each instance in turn is placed on its best host: a profile with the scheduler SOLVER considers all of them together.',
    ],
    ['there is no other way', [machine(53), machine(31)], gangOf(32, kind('large', 50)), undefined],
    ['one instance has no other order', [machine(4)], { vcpus: 5, memoryMb: 64 }, undefined],
  ])('%s', (_name, hosts, asks, text) => {
    const { placed, way } = otherWayOf(hosts, asks)
    expect(placed).toBe(0)
    expect(way && otherWayText(way)).toBe(text)
  })

  test.each<[name: string, hosts: readonly HostShape[], asks: Asks, text: string | undefined]>([
    [
      'the best host for the first member of an affinity group is too small for three',
      [machine(2, { memoryMb: 65_536 }), machine(4)],
      { numInstances: 3 },
      "Nova's rules choose the best host for the first instance alone. If h1 is chosen for it, all 3 instances fit there: name h1 in requestedDestination, or use a profile without compat: nova.",
    ],
    ['no host is large enough for five', [machine(2, { memoryMb: 65_536 }), machine(4)], { numInstances: 5 }, undefined],
    [
      'Nova\u2019s filters refuse the other host',
      [machine(2, { memoryMb: 65_536 }), machine(4)],
      { numInstances: 3, ignoreHosts: ['h1'] },
      undefined,
    ],
  ])('under compat: nova: %s', (_name, hosts, asks, text) => {
    const instanceGroup = { uuid: aUuid(7), policy: 'AFFINITY' as const }
    const { placed, way } = otherWayOf(hosts, { vcpus: 1, memoryMb: 64, instanceGroup, ...asks }, profileNamed('nova-compat'))
    expect([placed, way && otherWayText(way)]).toEqual([0, text])
  })

  test('the more hosts and instances, the fewer orders are tried, but at least one', () => {
    expect(waysTried(2, 100)).toBe(150)
    expect(waysTried(2, 10_000)).toBe(15)
    expect([waysTried(1_000, 100), waysTried(1_000, 100_000), waysTried(2, 0)]).toEqual([1, 1, 150])
  })

  test('no other order is reported for schedulers that consider all instances together, nor for Nova without a group', () => {
    const asks = { numInstances: 2, vcpus: 30, memoryMb: 64 }
    for (const profile of [{ ...profileNamed('default'), scheduler: 'solver' }, profileNamed('nova-compat')])
      expect(otherWayOf([machine(40)], asks, profile as Profile)).toEqual({ placed: 0, way: undefined })
  })
})

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 })

/** Returns true if instances of these sizes fit on hosts with the free amounts `free` at the same time. */
function hasRoom(free: readonly number[], [first, ...others]: readonly number[]): boolean {
  if (first === undefined) return true
  return free.some(
    (left, i) =>
      left >= first &&
      hasRoom(
        free.map((other, at) => (at === i ? other - first : other)),
        others,
      ),
  )
}

test('law: advice is given only if all instances fit at the same time, and the advised order places them', () => {
  let found = 0
  fc.assert(
    fc.property(
      sizes,
      fc.integer({ min: 1, max: 9 }),
      sizes,
      fc.constantFrom('default', 'first-fit', 'random'),
      (hosts, first, gang, name) => {
        const kinds = gang.map((vcpus, i) => kind(`k${i}`, vcpus))
        const { placed, way } = otherWayOf(
          hosts.map((vcpus) => machine(vcpus)),
          gangOf(first, ...kinds),
          profileNamed(name),
        )
        if (placed > 0 || way === undefined) return
        found++
        expect(hasRoom(hosts, [first, ...gang])).toBe(true)
        if (way.order === null) return
        const bySize = new Map([['first', first], ...gang.map((vcpus, i) => [`k${i}`, vcpus] as const)])
        const [one, ...rest] = way.order.map((order) => kind(order, bySize.get(order) ?? 0))
        const asks = gangOf(one?.flavor.vcpus ?? 0, ...rest)
        expect(
          otherWayOf(
            hosts.map((vcpus) => machine(vcpus)),
            asks,
            profileNamed(name),
          ).placed,
        ).toBe(gang.length + 1)
      },
    ),
    // The first example is a request for which another order is found, so `found` is above 0 with any seed of the property test.
    { numRuns: byExtent(40, 150), examples: [[[53, 31], 30, [50], 'default']] },
  )
  expect(found).toBeGreaterThan(0)
})
