import { describe, expect, it } from 'vitest'
import { readColumnLayout, shownColumns, toWidth, withColumn } from './columns.ts'

const columns = [
  { key: 'host', width: '1fr' },
  { key: 'az', width: '1fr' },
  { key: 'mem.free', width: '1fr' },
  { key: 'traits', width: '1fr', isExtra: true },
]
const keysOf = (shown: readonly string[] | undefined): string =>
  shownColumns(columns, { widths: {}, ...(shown === undefined ? {} : { shown }) })
    .map(({ key }) => key)
    .join()

describe('the shown columns', () => {
  it.each([
    ['the default columns', undefined, 'host,az,mem.free'],
    ['the selected columns, in the order of the list', ['traits', 'az'], 'host,az,traits'],
    ['the first column even if it is not selected', [], 'host'],
    ['unknown columns are ignored', ['nonsense', 'constructor'], 'host'],
  ])('%s', (_name, shown, keys) => expect(keysOf(shown)).toBe(keys))

  it('the shown columns have the stored widths', () => {
    expect(shownColumns(columns, { widths: { az: 120 } }).map(({ width }) => width)).toEqual(['1fr', '120px', '1fr'])
  })
})

describe('a column that is added or removed', () => {
  it.each([
    ['a column is removed', undefined, 'az', false, ['host', 'mem.free']],
    ['a column is added', undefined, 'traits', true, ['host', 'az', 'mem.free', 'traits']],
    ['adding the missing default column gives the default', ['host', 'az'], 'mem.free', true, undefined],
  ])('%s', (_name, shown, key, isShown, after) => {
    expect(withColumn(columns, { widths: {}, ...(shown === undefined ? {} : { shown }) }, key, isShown)).toEqual(after)
  })
})

it.each([
  ['nothing', undefined],
  ['a list', ['host']],
  ['invalid widths', { widths: { host: '100', az: -1, 'mem.free': 1e9 }, shown: 'host' }],
  ['keys that are not texts', { shown: [1] }],
])('an invalid stored layout is left out: %s', (_name, kept) => {
  expect(readColumnLayout(kept)).toEqual({ widths: {} })
})

it('a width is rounded to whole pixels and kept within its limits', () => {
  expect([-5, 99.6, 5_000].map(toWidth)).toEqual([40, 100, 1_200])
})
