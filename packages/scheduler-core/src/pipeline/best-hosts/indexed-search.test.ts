import { afterEach, expect, test, vi } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { profileSchema } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aRequest, aUuid, compareSearches, noneCompared } from '../../testing/index.ts'
import { ChangeFeed } from '../../values/change-feed.ts'
import { KeptKinds } from './kept-kinds.ts'
import { RequestClass } from './request-class.ts'
import { ScoreTable } from './score-table.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const seeds = Array.from({ length: byExtent(24, 600) }, (_, i) => `equal ${i}`)

test('a second decision for a kind of requests is made by a search', () => {
  const searches = vi.spyOn(RequestClass.prototype, 'build')
  const tally = noneCompared()
  for (const seed of seeds) compareSearches(seed, 20, 150, tally)
  expect(searches.mock.calls.length).toBeGreaterThan(seeds.length * 4)
  for (const [kind, count] of Object.entries(tally)) expect(count, kind).toBeGreaterThan(seeds.length)
})

test.each(seeds)('a search of the index gives the result of examining every host: %s', (seed) => {
  expect(compareSearches(seed, 80, 150)).toBeUndefined()
})

test('decisions use what was prepared for earlier requests of their kind', () => {
  const kept = vi.spyOn(KeptKinds.prototype, 'get')
  const tally = noneCompared()
  for (const seed of seeds) compareSearches(seed, 80, 150, tally)
  const used = kept.mock.results.filter(({ value }) => value !== undefined).length
  expect(used).toBeGreaterThan(tally.decisions / 30)
})

test('names with control characters do not make two kinds of requests one', () => {
  const fleet = aFleet({ h1: {}, h2: {} })
  const profile = profileSchema.parse({
    ...{ name: 'p', number: 1, weighers: [] },
    filters: [{ name: 'AvailabilityZoneFilter' }, { name: 'ServerGroupAntiAffinityFilter' }],
  })
  const instanceGroup = { uuid: aUuid(1), policy: 'ANTI_AFFINITY' } as const
  const placed = (request: RequestSpec): number => {
    const overlay = openOverlay(fleet)
    const input = { id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
    const { found } = decide(fleet, overlay, { ...input, request })
    overlay.discard()
    return found
  }
  for (let time = 0; time < 3; time++) expect(placed(aRequest({ availabilityZone: 'nova', instanceGroup }))).toBe(1)
  for (const separator of ['\u0001', '\u0002', '\u0003', '\u0001\u0003', ':'])
    for (let time = 0; time < 3; time++)
      expect(placed(aRequest({ availabilityZone: `nova${separator}ServerGroupAntiAffinityFilter` }))).toBe(0)
})

/** Faults of the index. Each must lead to a difference that the comparison finds. */
const faults: Readonly<Record<string, () => void>> = {
  'bounds that are a little too low': () => {
    const build = RequestClass.prototype.build
    vi.spyOn(RequestClass.prototype, 'build').mockImplementation(function (this: RequestClass, ...given) {
      build.apply(this, given)
      for (let i = this.table.scores.length * 2; i < this.greatest.length; i++) this.greatest[i] = (this.greatest[i] as number) - 1
    })
  },
  'bounds of a list that is not repaired': () => {
    const build = RequestClass.prototype.build
    vi.spyOn(RequestClass.prototype, 'build').mockImplementation(function (this: RequestClass, order, terms) {
      if (this.greatest.length === 0) build.call(this, order, terms)
    })
  },
  'a change in ten that does not reach the feed': () => {
    const add = ChangeFeed.prototype.add
    let changes = 0
    vi.spyOn(ChangeFeed.prototype, 'add').mockImplementation(function (this: ChangeFeed, host) {
      if (++changes % 10 !== 0) add.call(this, host)
    })
  },
  'scores that stay as they were': () => {
    vi.spyOn(ScoreTable.prototype, 'follow').mockImplementation(() => undefined)
  },
  'verdicts that stay as they were': () => {
    // biome-ignore lint/correctness/useYield: the planted fault changes no verdict
    vi.spyOn(RequestClass.prototype, 'follow').mockImplementation(function* () {
      return true
    })
  },
  'nodes whose first hosts are not known': () => {
    const build = RequestClass.prototype.build
    vi.spyOn(RequestClass.prototype, 'build').mockImplementation(function (this: RequestClass, ...given) {
      build.apply(this, given)
      this.first.fill(this.first.length * 1_000)
    })
  },
}

test.each(Object.entries(faults))('the comparison finds %s', (_name, plant) => {
  plant()
  const found = Array.from({ length: 200 }, (_, i) => `equal ${i}`).some((seed) => compareSearches(seed, 80, 150) !== undefined)
  expect(found).toBe(true)
})

test('a search of the index of a large fleet gives the result of examining every host', () => {
  for (let i = 0; i < byExtent(2, 20); i++) expect(compareSearches(`large ${i}`, byExtent(100, 400), 3_000)).toBeUndefined()
})
