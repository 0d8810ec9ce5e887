import { describe, expect, test } from 'vitest'
import {
  type AggregateState,
  beginDraft,
  changesBetween,
  changesNothing,
  diffOf,
  draftTo,
  parseNames,
  parsePairs,
  readDraft,
  rebase,
  toUpdateInput,
  withHosts,
} from './draft.ts'

const base: AggregateState = {
  name: 'ssd',
  version: 3,
  metadata: [
    { key: 'ssd', value: 'true' },
    { key: 'tier', value: 'gold' },
  ],
  hostNames: ['h1', 'h2'],
}
const draft = beginDraft(base)

test.each([
  ['h1, h2;h3\n h4\th1', ['h1', 'h2', 'h3', 'h4']],
  ['', []],
  [' \n', []],
])('the names are read from the text %j', (text, names) => expect(parseNames(text)).toEqual(names))

test('lines of key=value are parsed, and a value may contain an equals sign', () => {
  expect(parsePairs('a=1\n b = x=y \nwrong\n=nothing')).toEqual({ pairs: { a: '1', b: 'x=y' }, wrong: ['wrong', '=nothing'] })
})

describe('toUpdateInput', () => {
  test('the input of an update is empty if the draft would change nothing', () => {
    const same = { ...draft, addHosts: ['h1'], removeHosts: ['h9'], setMetadata: { ssd: 'true' }, unsetMetadata: ['none'] }
    expect(toUpdateInput(same)).toEqual({})
    expect(changesNothing(same)).toBe(true)
  })

  test('the input of an update has only the fields that differ from the base', () => {
    const changed = {
      ...draft,
      name: 'fast',
      addHosts: ['h3', 'h1'],
      removeHosts: ['h2'],
      setMetadata: { tier: 'blue', x: '1' },
      unsetMetadata: ['ssd', 'tier'],
    }
    expect(toUpdateInput(changed)).toEqual({
      name: 'fast',
      addHosts: ['h3'],
      removeHosts: ['h2'],
      setMetadata: [
        { key: 'tier', value: 'blue' },
        { key: 'x', value: '1' },
      ],
      unsetMetadata: ['ssd'],
    })
    expect(diffOf(changed).map(({ sign, text }) => `${sign} ${text}`)).toEqual([
      '~ name: ssd → fast',
      '- ssd=true',
      '~ tier: gold → blue',
      '+ x=1',
      '- host h2',
      '+ host h3',
    ])
  })
})

test('a draft that is rebased on the version of another operator keeps the changes of that operator', () => {
  const current: AggregateState = { name: 'ssd2', version: 4, metadata: [{ key: 'ssd', value: 'true' }], hostNames: ['h1', 'h2', 'h7'] }
  expect(changesBetween(base, current).map(({ sign, text }) => `${sign} ${text}`)).toEqual([
    '~ name: ssd → ssd2',
    '- tier=gold',
    '+ host h7',
  ])
  const mine = { ...draft, addHosts: ['h3', 'h7'] }
  const again = rebase(mine, current)
  expect(again.name).toBe('ssd2')
  expect(toUpdateInput(again)).toEqual({ addHosts: ['h3'] })
  expect(rebase({ ...mine, name: 'own' }, current).name).toBe('own')
})

test.each([[null], ['nonsense'], ['{}'], ['{"base":{"version":1}}']])('%j is not a valid draft', (text) =>
  expect(readDraft(text)).toBeUndefined(),
)

test('a stored draft is read back unchanged', () => expect(readDraft(JSON.stringify(draft))).toEqual(draft))

test('the draft that reverts an edit contains only what must change', () => {
  const now = {
    name: 'b',
    version: 3,
    metadata: [
      { key: 'x', value: '2' },
      { key: 'new', value: '' },
      { key: 'same', value: 's' },
    ],
    hostNames: ['h1', 'h3'],
  }
  const before = {
    name: 'a',
    metadata: [
      { key: 'x', value: '1' },
      { key: 'old', value: 'o' },
      { key: 'same', value: 's' },
    ],
    hostNames: ['h1', 'h2'],
  }
  const undoing = draftTo(now, before)
  expect(undoing).toMatchObject({ addHosts: ['h2'], removeHosts: ['h3'], setMetadata: { x: '1', old: 'o' }, unsetMetadata: ['new'] })
  expect(toUpdateInput(undoing)).toEqual({
    name: 'a',
    addHosts: ['h2'],
    removeHosts: ['h3'],
    setMetadata: [
      { key: 'x', value: '1' },
      { key: 'old', value: 'o' },
    ],
    unsetMetadata: ['new'],
  })
})

test('selected hosts are added to a draft as members, and the draft no longer removes them', () => {
  const begun = { ...draft, addHosts: ['h3'], removeHosts: ['h1', 'h2'] }
  expect(withHosts(begun, ['h4', 'h3', 'h2'])).toEqual({ ...begun, addHosts: ['h3', 'h4', 'h2'], removeHosts: ['h1'] })
  expect(toUpdateInput(withHosts(begun, ['h4', 'h3', 'h2']))).toEqual({ addHosts: ['h3', 'h4'], removeHosts: ['h1'] })
})
