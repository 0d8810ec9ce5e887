import { describe, expect, test } from 'vitest'
import { copyFleet } from '../fleet/copy.ts'
import type { Change } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { compareNamed, compareWritten, type Difference } from './diff.ts'

const group = { uuid: aUuid(7), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } as const

/**
 * Returns a fleet before and after these changes. The two hosts of the fleet are in an aggregate, and the first host has a claim of a
 * server group.
 */
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

const texts = (differences: readonly Difference[]): string[] =>
  differences.map(({ subject, name, field }) => `${subject} ${name} ${field}`.trim())
const written = ({ before, after }: ReturnType<typeof changed>): Difference[] => [...compareWritten(before, after)].flat()

describe('differences after one entry', () => {
  test('an aggregate is compared member by member, and so is the derived data of its hosts', () => {
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
    expect(texts(found)).toEqual(expect.arrayContaining(['host h1 zone', 'host h2 aggregates']))
  })

  test('a new aggregate and a deleted one give one difference each', () => {
    const made = written(changed({ type: 'aggregate', uuid: aUuid(2), expectedVersion: 0, next: { name: 'new', hosts: [], metadata: {} } }))
    expect(made).toMatchObject([{ subject: 'aggregate', name: aUuid(2), field: '', before: null }])
    const deleted = written(changed({ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next: null }))
    expect(deleted.filter(({ subject }) => subject === 'aggregate')).toMatchObject([{ name: aUuid(1), field: '', after: null }])
  })

  test('the key and the group of several claims are compared once', () => {
    const found = texts(written(changed(aClaim({ key: 'b', hosts: ['h1', 'h2'], group }))))
    expect(found.filter((one) => one.startsWith('claim'))).toEqual(['claim b.0', 'claim b.1'])
    expect(found.filter((one) => one.startsWith('key'))).toEqual(['key acme b'])
    expect(found.filter((one) => one.startsWith('group'))).toEqual([`group ${aUuid(7)} members`])
  })
})

describe('differences in the named hosts and claims', () => {
  const HOST = 0 as HostIndex

  test('differences of claims include their keys and groups, each once', () => {
    const { before, after } = changed(aClaim({ key: 'b', hosts: ['h1', 'h2'], group }))
    const found = texts(compareNamed(before, after, [HOST], ['a.0', 'b.0', 'b.1']))
    expect(found.filter((one) => !one.startsWith('host'))).toEqual([`group ${aUuid(7)} members`, 'claim b.0', 'key acme b', 'claim b.1'])
  })

  test('if a claim ends, the claim and its group differ', () => {
    const { before, after } = changed({ type: 'revoke', claim: 'a.0', reason: 'it is gone' })
    const found = compareNamed(before, after, [], ['a.0'])
    expect(texts(found)).toContain('claim a.0 state')
    expect(found.filter(({ subject }) => subject === 'group')).toMatchObject([{ name: aUuid(7) }])
  })

  test('a claim that did not change has no differences', () => {
    const { before, after } = changed(aReport('h2', { vcpusUsed: 1 }, 2))
    expect(compareNamed(before, after, [], ['a.0'])).toEqual([])
  })
})
