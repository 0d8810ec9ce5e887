import { describe, expect, test } from 'vitest'
import { scenariosOf } from '../address.ts'
import { EMPTY } from '../scenario.ts'
import { aboutOf, MAX_SAVED, readSaved, type SavedView, withoutSaved, withRenamed, withSaved } from './saved.ts'

const search = { request: '{"flavor":{"vcpus":2,"memoryMb":512}}' }
const kept = (...names: string[]): readonly SavedView[] => names.map((name) => ({ name, search }))
const saved = (result: ReturnType<typeof withSaved>): readonly SavedView[] => {
  if ('problem' in result) throw new Error(result.problem)
  return result.views
}

describe('the scenarios stored in this browser', () => {
  test('stored scenarios are read back unchanged', () => {
    const scenarios = [
      { ...EMPTY, name: 'as it is', at: '7' },
      { ...EMPTY, count: 5, overlay: { removeHosts: ['h'] } },
    ]
    const views = saved(withSaved([], ' both ', scenarios))
    expect(readSaved(JSON.parse(JSON.stringify(views)))).toEqual(views)
    expect(views.map(({ name }) => name)).toEqual(['both'])
    expect(scenariosOf(views[0]?.search ?? {}, undefined).scenarios).toEqual(scenarios)
  })

  test.each([
    ['undefined', undefined],
    ['a text', 'x'],
    ['an object', {}],
    ['views without a name', [{ search }]],
    ['an empty name', [{ name: ' ', search }]],
    ['a name that is too long', [{ name: 'n'.repeat(61), search }]],
    ['no search', [{ name: 'a' }]],
    ['an empty search', [{ name: 'a', search: {} }]],
    ['a search that cannot be read', [{ name: 'a', search: { request: '{' } }]],
    ['a search that is too long for an address', [{ name: 'a', search: { request: JSON.stringify({ hint: 'x'.repeat(40_000) }) } }]],
  ])('a stored value is left out: %s', (_name, value) => expect(readSaved(value)).toEqual([]))

  test('stored scenarios have unique names, and their count is limited', () => {
    expect(readSaved([...kept('a', 'b', 'a'), null])).toEqual(kept('a', 'b'))
    expect(readSaved(Array.from({ length: MAX_SAVED + 9 }, (_, i) => ({ name: `n${i}`, search })))).toHaveLength(MAX_SAVED)
  })
})

describe('saving', () => {
  const full = kept(...Array.from({ length: MAX_SAVED }, (_, i) => `n${i}`))

  test('saving under an existing name replaces the stored scenarios, even if no further set can be stored', () => {
    const views = saved(withSaved(full, 'n3', [{ ...EMPTY, count: 9 }]))
    expect(views).toHaveLength(MAX_SAVED)
    expect(views.find(({ name }) => name === 'n3')?.search.count).toBe('9')
  })

  test.each([
    ['for an empty name', ' ', [EMPTY], /A name is needed/],
    ['above the maximum number', 'one more', [EMPTY], /50 are saved already/],
    [
      'for scenarios that are too long',
      'n1',
      [{ ...EMPTY, request: { hint: 'x'.repeat(40_000) } }],
      /characters; at most 30000 can be saved/,
    ],
  ])('is refused %s', (_name, name, scenarios, problem) =>
    expect(withSaved(full, name, scenarios)).toEqual({ problem: expect.stringMatching(problem) }),
  )
})

test('a saved set of scenarios is renamed unless another set has the new name, and is deleted by its name', () => {
  expect(withRenamed(kept('a', 'b'), 'a', ' c ')).toEqual({ views: kept('b', 'c') })
  expect(withRenamed(kept('a', 'b'), 'a', 'a')).toEqual({ views: kept('a', 'b') })
  expect(withRenamed(kept('a', 'b'), 'a', 'b')).toEqual({ problem: 'The name b is already used.' })
  expect(withRenamed(kept('a'), 'a', '')).toEqual({ problem: 'A name is needed.' })
  expect(withoutSaved(kept('a', 'b'), 'a')).toEqual(kept('b'))
})

test('a saved set of scenarios is described in a few words', () => {
  expect(aboutOf(kept('a')[0] as SavedView)).toBe('1 × 2 vCPU / 512 MiB')
  expect(aboutOf({ name: 'a', search: { ...search, beside: '[{"count":2}]' } })).toBe('2 scenarios, the first 1 × 2 vCPU / 512 MiB')
})
