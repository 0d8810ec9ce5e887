import { hostSorts, printSort } from '@gantt/scheduler-core/query'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostColours, hostGroups, hostSheets, hostViews, readHostSearch, readHostsSearch, readSort } from './search.ts'

const optional = <Value>(values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
/** Several orders, each by a different field. */
const orders = fc
  .uniqueArray(fc.record({ key: fc.constantFrom(...hostSorts), descending: fc.boolean() }), { selector: ({ key }) => key, minLength: 1 })
  .map(printSort)
const given = (search: object) => Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

describe('the URL of the list', () => {
  test('valid query parameters of the list are read unchanged', () => {
    const searches = fc.record({
      q: fc.option(fc.string({ minLength: 1, unit: 'grapheme' }), { nil: undefined }),
      sort: fc.option(orders, { nil: undefined }),
      cols: optional(['host', 'host,mem.free']),
      view: optional(hostViews),
      group: optional(hostGroups),
      colour: optional(hostColours),
    })
    const overlays = fc.record({ decision: fc.constant('id'), instance: optional(['1', '12']), verdict: optional(['passed', 'refused:A']) })
    fc.assert(
      fc.property(searches, fc.option(overlays, { nil: undefined }), (plain, overlay) => {
        fc.pre(plain.colour !== 'verdict' || overlay !== undefined)
        const search = { ...plain, ...overlay }
        expect(readHostsSearch(given(search))).toEqual(given(search))
      }),
    )
  })

  test.each([
    ['an unknown view', { view: 'list' }],
    ['an unknown order', { sort: 'nonsense' }],
    ['the name of an inherited member', { sort: 'constructor' }],
    ['two signs', { sort: '--host' }],
    ['the same order twice', { sort: 'host,-host' }],
    ['unknown columns', { cols: '<img>' }],
    ['nothing', { q: '', sort: '', view: '' }],
    ['parameters of other pages', { id: '1' }],
    ['a value that is not a text', { q: 1, sort: ['host'] }],
  ])('%s is left out', (_name, search) => expect(readHostsSearch(search)).toEqual({}))

  test.each([
    ['host', 'host'],
    ['-mem.free,host', '-mem.free,host'],
    ['-nonsense,az', 'az'],
  ])('the order %s is read without unknown fields', (sort, read) => expect(printSort(readSort(sort))).toBe(read))
})

test('the URL of a host has its node and its tab', () => {
  for (const sheet of hostSheets) expect(readHostSearch({ node: 'n1', sheet, q: 'x' })).toEqual({ node: 'n1', sheet })
  expect(readHostSearch({ node: '', sheet: 'summary' })).toEqual({})
})
