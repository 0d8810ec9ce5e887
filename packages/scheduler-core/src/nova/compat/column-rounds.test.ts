import { expect, test, vi } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { RequestClass } from '../../pipeline/best-hosts/request-class.ts'
import { compareSearches, noneCompared } from '../../testing/index.ts'
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
