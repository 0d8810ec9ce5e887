import { describe, expect, test } from 'vitest'
import { added, beginDraft, changed, documentOf, moved, type ProfileDraft, readProfileDraft, type VersionParts } from './draft.ts'
import { differences, movedIds, signed } from './draft-diff.ts'
import { problemsOf, readInput } from './draft-input.ts'
import { rebase } from './draft-merge.ts'

const VERSION: VersionParts = {
  number: 2,
  note: 'spreads',
  hostSubsetSize: 1,
  normalisation: 'MINMAX',
  tieOrder: 'FIRST_SEEN',
  schedulerName: 'filter',
  compat: null,
  filters: ['A', 'B', 'C', 'D'].map((name) => ({ name, shadow: false, options: {} })),
  weighers: [
    { name: 'W', multiplier: 1, options: {} },
    { name: 'V', multiplier: -2, options: { k: 1 } },
  ],
  assignment: {},
  solver: null,
  nova: null,
  collects: null,
}

const begun = beginDraft(VERSION, 3)
const names = (parts: readonly { readonly name: string }[]): string => parts.map(({ name }) => name).join('')
type Own = ProfileDraft['own']
const withOwn = (own: Partial<Own>): ProfileDraft => ({ ...begun, own: { ...begun.own, ...own } })
const noted = (own: Partial<Own>): ProfileDraft => withOwn({ settings: { ...begun.own.settings, note: 'mine' }, ...own })

test('a draft begins with the content of its version, and an empty note', () => {
  expect(begun).toMatchObject({ from: 2, latest: 3, own: { settings: { note: '', scheduler: 'filter', further: '' } } })
  expect(differences(begun.base, begun.own)).toEqual([])
  expect(readProfileDraft(JSON.stringify(begun))).toEqual(begun)
  for (const text of [null, '', '{}', '[]', '{"from":1,"latest":1}']) expect(readProfileDraft(text)).toBeUndefined()
})

describe('the lists of filters and weighers in a draft', () => {
  test.each([
    ['B', 0, 'BACD'],
    ['B', 2, 'ACBD'],
    ['B', 99, 'ACDB'],
    ['B', -5, 'BACD'],
    ['nobody', 1, 'ABCD'],
  ])('%s is moved to index %i', (id, to, order) => expect(names(moved(begun.own.filters, id, to))).toBe(order))

  test('a second filter with the same name gets a different id', () => {
    const twice = added(begun.own.filters, 'A', 'filters')
    expect(twice.at(-1)).toMatchObject({ id: 'A (2)', name: 'A', multiplier: '' })
    expect(added(begun.own.weighers, 'X', 'weighers').at(-1)).toMatchObject({ id: 'X', multiplier: '1' })
    expect(documentOf({ ...VERSION, filters: [...VERSION.filters, { name: 'A', shadow: true, options: {} }] }).filters.at(-1)?.id).toBe(
      'A (2)',
    )
  })
})

describe('the fields that are sent', () => {
  test('the sent input has the enabled filters and weighers in their order, without unset fields', () => {
    const filters = changed(changed(begun.own.filters, 'B', { enabled: false }), 'C', { shadow: true, options: '{"least": 3}' })
    expect(readInput(noted({ filters }))).toEqual({
      problems: [],
      input: {
        note: 'mine',
        filters: [{ name: 'A' }, { name: 'C', shadow: true, options: { least: 3 } }, { name: 'D' }],
        weighers: [
          { name: 'W', multiplier: 1 },
          { name: 'V', multiplier: -2, options: { k: 1 } },
        ],
        hostSubsetSize: 1,
        normalisation: 'MINMAX',
        tieOrder: 'FIRST_SEEN',
      },
    })
  })

  test('invalid values are reported at their fields', () => {
    const weighers = changed(changed(begun.own.weighers, 'W', { multiplier: 'much' }), 'V', { options: '[1]' })
    const settings = { ...begun.own.settings, hostSubsetSize: '', further: '{"speed": 9}' }
    expect(readInput(withOwn({ weighers, settings })).problems.map(({ field }) => field)).toEqual([
      'further',
      'note',
      'weighers.W.multiplier',
      'weighers.V.options',
      'hostSubsetSize',
    ])
    // The fields of disabled weighers are not checked.
    expect(readInput(noted({ weighers: changed(weighers, 'W', { enabled: false }).slice(0, 1) })).problems).toEqual([])
  })

  test('a refusal of the service is shown at its field', () => {
    const own = { ...begun.own, filters: changed(begun.own.filters, 'A', { enabled: false }) }
    const issues = [
      { path: ['input', 'filters', '1', 'options'], message: 'one' },
      { path: ['input', 'weighers', '0', 'multiplier'], message: 'two' },
      { path: ['input', 'assignment', 'numa'], message: 'three' },
      { path: ['input', 'filters'], message: 'four' },
      { path: ['ifLatest'], message: 'five' },
    ]
    expect(problemsOf(issues, own).map(({ field }) => field)).toEqual([
      'filters.C.options',
      'weighers.W.multiplier',
      'further',
      'filters',
      '',
    ])
  })
})

describe('the changes of a draft', () => {
  test('a moved filter is listed, but not the filters that it was moved past', () => {
    const filters = moved(begun.own.filters, 'D', 0)
    expect([...movedIds(begun.base.filters, filters)]).toEqual(['D'])
    expect(differences(begun.base, { ...begun.own, filters })).toEqual([{ field: 'filters.D', before: 'position 4', after: 'position 1' }])
  })

  test('filters that were added, removed or set to shadow mode are listed as changes, and so are reversed weighers', () => {
    const filters = added(changed(changed(begun.own.filters, 'A', { enabled: false }), 'B', { shadow: true }), 'E', 'filters')
    const weighers = changed(begun.own.weighers, 'W', { multiplier: '-1.5' })
    const settings = { ...begun.own.settings, note: 'no difference', tieOrder: 'SEEDED' }
    expect(differences(begun.base, { filters, weighers, settings })).toEqual([
      { field: 'filters.A', before: 'position 1', after: null },
      { field: 'filters.B.shadow', before: 'refuses', after: 'refuses no host' },
      { field: 'filters.E', before: null, after: 'position 4' },
      { field: 'weighers.W.multiplier', before: '+1', after: '−1.5' },
      { field: 'tieOrder', before: 'FIRST_SEEN', after: 'SEEDED' },
    ])
  })

  test('options that differ only in their formatting are not a change', () => {
    const weighers = changed(begun.own.weighers, 'V', { options: '{"k":1}' })
    expect(differences(begun.base, { ...begun.own, weighers })).toEqual([])
  })

  test.each([
    ['1', '+1'],
    ['-2.5', '−2.5'],
    ['0', '0'],
    ['x', 'x'],
  ])('the multiplier %s is shown as %s', (text, shown) => expect(signed(text)).toBe(shown))
})

describe('a draft that is rebased on the version of another operator', () => {
  const theirs = documentOf({
    ...VERSION,
    number: 3,
    tieOrder: 'SEEDED',
    filters: ['N', 'A', 'C', 'D'].map((name) => ({ name, shadow: name === 'C', options: {} })),
    weighers: [{ name: 'W', multiplier: 7, options: {} }],
  })

  test('a rebased draft has the unchanged filters and weighers of the other version, and keeps its own changed ones', () => {
    const mine = noted({
      filters: added(changed(begun.own.filters, 'D', { enabled: false }), 'E', 'filters'),
      weighers: changed(begun.own.weighers, 'V', { multiplier: '-3' }),
    })
    const next = rebase(mine, theirs, 3)
    expect(next).toMatchObject({ from: 3, latest: 3, base: theirs, own: { settings: { note: 'mine', tieOrder: 'SEEDED' } } })
    expect(next.own.filters.map(({ name, enabled, shadow }) => `${name}${enabled ? '' : '-'}${shadow ? '~' : ''}`)).toEqual([
      'N',
      'A',
      'C~',
      'D-',
      'E',
    ])
    // the other version removed V, but this draft changed it, so it is kept
    expect(next.own.weighers.map(({ name, multiplier }) => `${name}${multiplier}`)).toEqual(['W7', 'V-3'])
  })

  test('a rebased draft keeps its order, and a filter that the other version added comes after the same filter as in that version', () => {
    const next = rebase(noted({ filters: moved(begun.own.filters, 'D', 0) }), theirs, 3)
    expect(names(next.own.filters)).toBe('NDAC')
  })
})
