import { SLICE, type Steps } from '@gantt/scheduler-core'
import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { checkEdit, MAX_KEYS, tooManyKeys } from './aggregate-checks.ts'

function run<Result>(steps: Steps<Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done) return { result: step.value, pauses }
  }
}

test('an edit with many unknown hosts is refused with their count and a few names, and other calls are answered meanwhile', () => {
  const log = aLog()
  log.append([aReport('known')])
  const addHosts = ['known', ...Array.from({ length: 5_000 }, (_, i) => `ghost-${i}`)]
  const { result, pauses } = run(checkEdit(log.fleet, { addHosts, removeHosts: addHosts.slice(-1) }))
  expect(result.count).toBe(5_001)
  expect(result.listed).toHaveLength(100)
  expect(result.listed[0]).toMatchObject({ path: ['input', 'addHosts', '1'], code: 'host.unknown' })
  expect(pauses).toBe(Math.floor(addHosts.length / SLICE))
})

test('an edit with more metadata keys than the limit is refused, and its keys are not checked', () => {
  const setMetadata = Array.from({ length: 257 }, () => ({ key: '', value: 'v' }))
  const { result } = run(checkEdit(aLog().fleet, { setMetadata }))
  expect(result.listed.map(({ path }) => path.join('.'))).toEqual(['input.setMetadata'])
})

test.each([
  ['an aggregate gets as many keys as the limit', MAX_KEYS, 0, undefined],
  ['an aggregate gets more', MAX_KEYS + 1, MAX_KEYS, 'input.setMetadata'],
  ['a new aggregate has more, with its zone', MAX_KEYS + 1, undefined, 'input.metadata'],
  ['an older aggregate keeps more', 300, 300, undefined],
  ['an older aggregate loses some', 299, 300, undefined],
])('the keys of an aggregate have a limit in total: %s', (_name, keys, before, path) => {
  const having = (count: number) => ({
    name: 'a',
    hosts: [],
    metadata: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v'])),
  })
  expect(tooManyKeys(having(keys), before === undefined ? undefined : having(before))?.path?.join('.')).toBe(path)
  expect(tooManyKeys(null, having(300))).toBeUndefined()
})
