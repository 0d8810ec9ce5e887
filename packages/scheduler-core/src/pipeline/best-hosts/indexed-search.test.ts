import { expect, test, vi } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { decide } from '../../schedulers/decide.ts'
import { groupOf } from '../../schedulers/filter-scheduler.ts'
import { Churn } from '../../testing/index.ts'
import { ChangeFeed } from '../../values/change-feed.ts'
import { RequestClass } from './request-class.ts'
import { ScoreTable } from './score-table.ts'

const seeds = Array.from({ length: byExtent(40, 600) }, (_, i) => `equal ${i}`)

/** Makes decisions under churn, each with the index and by examining every host. Returns the differences. */
function differencesOf(seed: string, decisions: number, hosts: number): string[] {
  const churn = new Churn(seed, hosts)
  const { fleet } = churn
  const differences: string[] = []
  for (let number = 0; number < decisions && differences.length === 0; number++) {
    const batch = Array.from({ length: 1 + (number % 3) }, () => churn.decision())
    const overlay = openOverlay(fleet)
    const made = batch.map((input) => {
      const held = overlay.size
      const every = decide(fleet, overlay, { ...input, isExhaustive: true })
      overlay.rollback(held)
      const found = decide(fleet, overlay, input)
      const [expected, actual] = [JSON.stringify(every), JSON.stringify(found)]
      if (expected !== actual) differences.push(`${seed}, decision ${number}: expected ${expected}, found ${actual}`)
      return { input, parts: found.parts }
    })
    overlay.discard()
    for (const { input, parts } of made) churn.claim(input, parts, groupOf(input.request))
    for (let change = 0; change < number % 4; change++) churn.change()
  }
  return differences
}

test('a decision that is made again is made by a search', () => {
  const searches = vi.spyOn(RequestClass.prototype, 'build')
  const made = seeds.slice(0, 10).reduce((sum, seed) => sum + differencesOf(seed, 40, 150).length, 0)
  expect(made).toBe(0)
  expect(searches.mock.calls.length).toBeGreaterThan(200)
  vi.restoreAllMocks()
})

test.each(seeds)('a search of the index gives the result of examining every host: %s', (seed) => {
  expect(differencesOf(seed, 40, 150)).toEqual([])
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
  const found = seeds.some((seed) => {
    try {
      return differencesOf(seed, 40, 150).length > 0
    } catch {
      // a fault can also make a decision fail
      return true
    }
  })
  vi.restoreAllMocks()
  expect(found).toBe(true)
})
