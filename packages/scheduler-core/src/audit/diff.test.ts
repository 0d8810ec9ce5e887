import { describe, expect, test } from 'vitest'
import type { Change } from '../fleet/change.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { HostIndex } from '../host-index.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import { compareNamed, compareWritten, type Difference } from './diff.ts'

const group = { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } as const

/** Two hosts in an aggregate, and a claim of a server group on the first; then a change. */
function changed(...changes: readonly Change[]) {
  const log = aLog()
  log.append([aReport('h1'), aReport('h2')])
  log.append([
    { type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'fast', hosts: ['h1', 'h2'], metadata: { ssd: 'true' } } },
  ])
  log.append([aClaim({ key: 'a', hosts: ['h1'], group })])
  const before = copyFleet(log.fleet)
  expect(log.append(changes)).toEqual(changes.map(() => undefined))
  return { before, after: log.fleet }
}

const told = (differences: readonly Difference[]): string[] =>
  differences.map(({ subject, name, field }) => `${subject} ${name} ${field}`.trim())
const written = ({ before, after }: ReturnType<typeof changed>): Difference[] => [...compareWritten(before, after)].flat()

describe('what one entry wrote', () => {
  test('an aggregate is told member by member, and its hosts with what follows', () => {
    const next = { name: 'slow', hosts: ['h1'], metadata: { availability_zone: 'z1' } }
    const found = written(changed({ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next }))
    const ofAggregate = found.filter(({ subject }) => subject === 'aggregate')
    expect(ofAggregate.map(({ name }) => name)).toEqual(ofAggregate.map(() => aUuid(1)))
    expect(Object.fromEntries(ofAggregate.map(({ field, before, after }) => [field, [before, after]]))).toEqual({
      version: ['1', '2'],
      revision: ['2', '4'],
      name: ['"fast"', '"slow"'],
      hosts: ['["h1","h2"]', '["h1"]'],
      'metadata.ssd': ['"true"', null],
      'metadata.availability_zone': [null, '"z1"'],
    })
    expect(told(found)).toEqual(expect.arrayContaining(['host h1 zone', 'host h2 aggregates']))
  })

  test('an aggregate that is made, and one that is deleted, are told whole', () => {
    const made = written(changed({ type: 'aggregate', uuid: aUuid(2), expectedVersion: 0, next: { name: 'new', hosts: [], metadata: {} } }))
    expect(made).toMatchObject([{ subject: 'aggregate', name: aUuid(2), field: '', before: null }])
    const deleted = written(changed({ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next: null }))
    expect(deleted.filter(({ subject }) => subject === 'aggregate')).toMatchObject([{ name: aUuid(1), field: '', after: null }])
  })

  test('claims of one key and one group tell both once', () => {
    const found = told(written(changed(aClaim({ key: 'b', hosts: ['h1', 'h2'], group }))))
    expect(found.filter((one) => one.startsWith('claim'))).toEqual(['claim b.0', 'claim b.1'])
    expect(found.filter((one) => one.startsWith('key'))).toEqual(['key acme b'])
    expect(found.filter((one) => one.startsWith('group'))).toEqual([`group ${aUuid(7)} members`])
  })
})

describe('what became of some hosts and claims', () => {
  const HOST = 0 as HostIndex

  test('is told with the keys and groups of the claims, each once', () => {
    const { before, after } = changed(aClaim({ key: 'b', hosts: ['h1', 'h2'], group }))
    const found = told(compareNamed(before, after, [HOST], ['a.0', 'b.0', 'b.1']))
    expect(found.filter((one) => !one.startsWith('host'))).toEqual([`group ${aUuid(7)} members`, 'claim b.0', 'key acme b', 'claim b.1'])
  })

  test('a claim that ends leaves its group, whose member is told; its key stays as it is', () => {
    const { before, after } = changed({ type: 'revoke', claim: 'a.0', reason: 'it is gone' })
    const found = compareNamed(before, after, [], ['a.0'])
    expect(told(found)).toContain('claim a.0 state')
    expect(found.filter(({ subject }) => subject === 'group')).toMatchObject([{ name: aUuid(7) }])
  })

  test('a claim that nothing happened to tells nothing', () => {
    const { before, after } = changed(aReport('h2', { vcpusUsed: 1 }, 2))
    expect(compareNamed(before, after, [], ['a.0'])).toEqual([])
  })
})
