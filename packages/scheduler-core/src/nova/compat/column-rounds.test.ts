import { expect, test, vi } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { RequestClass } from '../../pipeline/best-hosts/request-class.ts'
import { profileSchema } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aRequest, compareSearches, noneCompared } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { InheritedOrder } from './inherited-order.ts'

const seeds = Array.from({ length: byExtent(20, 600) }, (_, i) => `nova ${i}`)
const compare = (seed: string, decisions = 60, hosts = 60, tally = noneCompared()) => compareSearches(seed, decisions, hosts, tally, true)

test('random decisions are made by a search and by comparing the rounds before', () => {
  const searches = vi.spyOn(RequestClass.prototype, 'build')
  const rounds = vi.spyOn(InheritedOrder.prototype, 'add')
  const tally = noneCompared()
  for (const seed of seeds) compare(seed, 20, 60, tally)
  expect(searches.mock.calls.length).toBeGreaterThan(seeds.length)
  expect(rounds.mock.calls.length).toBeGreaterThan(seeds.length)
  for (const [kind, count] of Object.entries(tally)) expect(count, kind).toBeGreaterThan(seeds.length)
  vi.restoreAllMocks()
})

test.each(seeds)('a decision by the rules of Nova is the one of calling everything for every host in every round: %s', (seed) => {
  expect(compare(seed)).toBeUndefined()
})

const add = InheritedOrder.prototype.add
/** Faults of the order of hosts with equal weights. */
const faults: Readonly<Record<string, () => void>> = {
  'an order that forgets the rounds before': () => {
    vi.spyOn(InheritedOrder.prototype, 'add').mockImplementation(function* () {})
  },
  'an order that does not move the chosen host to the front': () => {
    vi.spyOn(InheritedOrder.prototype, 'add').mockImplementation(function (this: InheritedOrder, weighed, _first, ...others) {
      return add.call(this, weighed, -1 as HostIndex, ...others)
    })
  },
}

test.each(Object.entries(faults))('the comparison finds %s', (_name, plant) => {
  plant()
  const [expected, placed] = placeMany(3, [])
  const found = placed !== expected || seeds.some((seed) => compare(seed) !== undefined)
  vi.restoreAllMocks()
  expect(found).toBe(true)
})

/** Places 70 instances, first by calling everything for every host in every round. */
function placeMany(hostSubsetSize: number, weighers: readonly string[]): readonly string[] {
  const { fleet, append } = aLog()
  append(Array.from({ length: 30 }, (_, i) => aReport(`h${i}`, { memoryMbUsed: 1_024 * (i % 4) })))
  const profile = profileSchema.parse({
    ...{ name: 'p', number: 1, compat: 'nova', filters: [{ name: 'ComputeFilter' }], hostSubsetSize },
    weighers: weighers.map((name) => ({ name, multiplier: 1 })),
  })
  const request = aRequest({ vcpus: 0, memoryMb: 1_024, numInstances: 70 })
  const claimIds = Array.from({ length: 70 }, (_, i) => `c${i}`)
  return [true, false].map((isExhaustive) => {
    const overlay = openOverlay(fleet)
    const input = { id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 2, allOrNothing: true }
    const made = decide(fleet, overlay, { ...input, request, claimIds, isExhaustive })
    overlay.discard()
    return JSON.stringify(made)
  })
}

test.each([
  [1, ['RAMWeigher', 'IoOpsWeigher']],
  [3, ['RAMWeigher']],
  [3, []],
])('many instances are placed as in rounds, on one of %i best hosts, by the weighers %j', (hostSubsetSize, weighers) => {
  const [expected, found] = placeMany(hostSubsetSize, weighers)
  expect(expected).toContain('"found":70')
  expect(found).toBe(expected)
})
