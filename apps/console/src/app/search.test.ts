import fc from 'fast-check'
import { expect, test } from 'vitest'
import { only, parseSearch, printSearch } from './search.ts'

test('any value that is written to a URL is read back unchanged', () => {
  const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ minLength: 1, unit: 'grapheme' }), { maxKeys: 6 })
  fc.assert(
    fc.property(values, (search) => {
      const printed = printSearch(search)
      expect(parseSearch(printed.replace(/^\?/, ''))).toEqual({ ...search })
    }),
  )
})

test('values that are not set are not in the URL', () => {
  expect(printSearch({ q: undefined, sort: 'name' })).toBe('?sort=name')
  expect(printSearch({})).toBe('')
})

test('a query parameter that the feature does not read is removed', () => {
  const read = only(({ view }) => (view === 'map' ? { view } : {}))
  const asRouter = (search: Record<string, unknown>) => ({ ...search, ...read(search) })
  expect(asRouter({ view: 'map', no: 'such' })).toEqual({ view: 'map', no: undefined })
  expect(asRouter({ view: 'xx' })).toEqual({ view: undefined })
})
