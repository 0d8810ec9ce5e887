import { SLICE, type Steps } from '@gantt/scheduler-core'
import { aLog, aReport, aUuid } from '@gantt/scheduler-core/testing'
import { describe, expect, test } from 'vitest'
import { countedList } from '../../testing/counted-list.ts'
import { documentSize } from '../calls/json-size.ts'
import { readAggregate } from '../stats/nova-import.ts'
import { checkEdit, MAX_KEYS, tooManyKeys } from './aggregate-checks.ts'
import { edited, editTo } from './aggregate-edit.ts'

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

describe('an import onto an aggregate with many hosts', () => {
  const hosts = Array.from({ length: 5_000 }, (_, i) => `h${i}`)
  const current = { name: 'a', metadata: { kept: '1', gone: '2' }, hosts }

  test('reads each of the hosts a few times at most, and other calls are answered meanwhile', () => {
    const { list, read } = countedList(['h0', ...hosts.map((host) => `other-${host}`)])
    const { result, pauses } = run(editTo({ uuid: 'u', name: 'b', metadata: { kept: '3' }, hosts: list }, current))
    expect(result).toMatchObject({ name: 'b', setMetadata: [{ key: 'kept', value: '3' }], unsetMetadata: ['gone'] })
    expect([result.addHosts === list, result.removeHosts]).toEqual([true, hosts.slice(1)])
    expect(read.items).toBeLessThanOrEqual(2 * list.length)
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(hosts.length / SLICE))
  })

  test('sorts the hosts of the edited aggregate in steps', () => {
    const edit = { name: 'b', addHosts: ['x', 'h1', 'x', 'c'], removeHosts: hosts.slice(0, 4_998) }
    const { result, pauses } = run(edited(current, edit))
    expect(result).toEqual({ name: 'b', metadata: current.metadata, hosts: ['c', 'h1', 'h4998', 'h4999', 'x'] })
    expect(pauses).toBeGreaterThanOrEqual(Math.floor(hosts.length / SLICE))
  })
})

test('an aggregate of Nova can have all hosts of a fleet, and with too many other values it is refused before they are read', () => {
  let listed = 0
  const keys = Array.from({ length: documentSize.values }, (_, i) => [`k${i}`, 'v'] as const)
  const metadata = new Proxy(Object.fromEntries(keys), {
    ownKeys(target) {
      listed++
      return Reflect.ownKeys(target)
    },
  })
  const aggregate = { uuid: aUuid(1), name: 'a', hosts: Array.from({ length: 100_000 }, (_, i) => `h${i}`), metadata: {} }
  expect(readAggregate(aggregate, ['document'])).toEqual(aggregate)
  expect(readAggregate({ ...aggregate, metadata }, ['document'])).toMatchObject({ code: 'call.too_large', path: ['document'] })
  expect(listed).toBe(1)
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
