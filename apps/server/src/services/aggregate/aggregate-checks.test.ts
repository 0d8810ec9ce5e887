import { SLICE, type Steps } from '@gantt/scheduler-core'
import { aLog, aReport } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import { checkEdit } from './aggregate-checks.ts'

function run<Result>(steps: Steps<Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done) return { result: step.value, pauses }
  }
}

test('all unknown hosts are counted, a few are named, and other calls are answered meanwhile', () => {
  const log = aLog()
  log.append([aReport('known')])
  const addHosts = ['known', ...Array.from({ length: 5_000 }, (_, i) => `ghost-${i}`)]
  const { result, pauses } = run(checkEdit(log.fleet, { addHosts, removeHosts: addHosts.slice(-1) }))
  expect(result.count).toBe(5_001)
  expect(result.listed).toHaveLength(100)
  expect(result.listed[0]).toMatchObject({ path: ['input', 'addHosts', '1'], code: 'host.unknown' })
  expect(pauses).toBe(Math.floor(addHosts.length / SLICE))
})

test('keys beyond the limit are not read', () => {
  const setMetadata = Array.from({ length: 257 }, () => ({ key: '', value: 'v' }))
  const { result } = run(checkEdit(aLog().fleet, { setMetadata }))
  expect(result.listed.map(({ path }) => path.join('.'))).toEqual(['input.setMetadata'])
})
