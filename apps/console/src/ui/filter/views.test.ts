import { describe, expect, test } from 'vitest'
import { isSame, LONGEST_NAME, MAX_VIEWS, opening, readViews, renamed, viewOf, withoutView, withView } from './views.ts'

const failed = { name: 'Failed', search: { q: 'outcome:NO_VALID_HOST', cols: 'at,outcome' } }
const mine = { name: 'mine', search: { q: 'account:me', sort: '-age' } }

describe('the stored views of a list', () => {
  test.each<[string, unknown, unknown]>([
    ['there are no views if nothing is stored', undefined, []],
    ['there are no views if the value is not a list', { name: 'x' }, []],
    ['valid views are sorted by name', [mine, failed], [failed, mine]],
    ['invalid views are left out', [mine, 7, null, { name: 'x' }, { search: {} }, { name: '', search: {} }], [mine]],
    ['of two views with one name the first counts', [mine, { name: 'mine', search: {} }], [mine]],
    [
      'parameters that do not belong to a view are left out',
      [{ name: 'x', search: { q: 'a', at: '7', live: 'off', cols: 3 } }],
      [{ name: 'x', search: { q: 'a' } }],
    ],
    ['a view whose name is too long is left out', [{ name: 'x'.repeat(LONGEST_NAME + 1), search: {} }], []],
  ])('%s', (_name, kept, views) => expect(readViews(kept)).toEqual(views))

  test('a list has at most the maximum number of stored views', () =>
    expect(readViews(Array.from({ length: MAX_VIEWS + 5 }, (_, i) => ({ name: String(i), search: {} })))).toHaveLength(MAX_VIEWS))
})

test('a view has the query parameters of the list, without the moment and the open panel', () =>
  expect(viewOf({ q: 'a', cols: 'b', sort: '-c', group: 'flavor', at: '7', row: '9', live: 'off', view: undefined })).toEqual({
    q: 'a',
    cols: 'b',
    sort: '-c',
    group: 'flavor',
  }))

test('opening a view removes parameters that the view does not have', () =>
  expect(opening({ q: 'a' })).toEqual({ q: 'a', cols: undefined, sort: undefined, group: undefined, view: undefined, colour: undefined }))

test('the view that the list shows is recognised', () => {
  expect(isSame({ q: 'a' }, { q: 'a' })).toBe(true)
  expect(isSame({ q: 'a' }, { q: 'a', sort: 'b' })).toBe(false)
})

test('a new view replaces an existing view with the same name', () => {
  const again = { name: 'mine', search: { q: 'account:you' } }
  expect(withView([failed, mine], again)).toEqual([failed, again])
  expect(withoutView([failed, mine], 'mine')).toEqual([failed])
})

test.each([
  ['a view gets another name', 'mine', 'a first one', ['a first one', 'Failed']],
  ['a name that is taken changes nothing', 'mine', 'Failed', ['Failed', 'mine']],
  ['an empty name changes nothing', 'mine', '', ['Failed', 'mine']],
  ['renaming an unknown view changes nothing', 'gone', 'x', ['Failed', 'mine']],
])('%s', (_name, from, to, names) => expect(renamed([failed, mine], from, to).map(({ name }) => name)).toEqual(names))
