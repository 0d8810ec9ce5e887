import { expect, test } from 'vitest'
import { type AuditRow, actionOf, findVersion, historyQuery, momentBefore, versionBefore } from './history.ts'

const row = (args: object, more: Partial<AuditRow> = {}): AuditRow => ({
  id: '1',
  at: '2026-01-01T00:00:00Z',
  account: 'ops',
  mutation: 'aggregateUpdate',
  result: 'AggregatePayload',
  summary: JSON.stringify(args),
  ...more,
})

test.each<[string, AuditRow, string | undefined]>([
  [
    'an edit is shown by its deltas',
    row({
      input: { name: 'b', setMetadata: [{ key: 'ssd', value: 'true' }], unsetMetadata: ['hdd'], addHosts: ['h1'], removeHosts: ['h2'] },
    }),
    'name: b, - hdd, + ssd=true, - host h2, + host h1',
  ],
  ['only the hosts that the audit stored are listed', row({ input: { addHosts: ['h1', '... 30 more'] } }), '+ host h1, + host ... 30 more'],
  ['a dry run changed nothing', row({ dryRun: true, input: { name: 'b' } }), undefined],
  ['a refused edit changed nothing', row({ input: { name: 'b' } }, { result: 'VersionConflict' }), undefined],
  [
    'arguments that were too long to store are reported as such',
    row({}, { summary: 'cut' }),
    'changed the aggregate; the arguments were too long to be stored completely',
  ],
  ['a creation is shown as "created the aggregate"', row({}, { mutation: 'aggregateCreate' }), 'created the aggregate'],
])('%s', (_name, entry, action) => expect(actionOf(entry)).toBe(action))

test('the audit filter finds the edits of an aggregate by its uuid, and the moment before an edit is one millisecond before it', () => {
  expect(historyQuery('u-1')).toContain('target:u-1')
  expect(momentBefore('2026-01-01T00:00:00.000Z')).toBe('2025-12-31T23:59:59.999Z')
})

test.each<[string, AuditRow, number | undefined]>([
  ['an edit names the version that it was made from', row({ ifVersion: 3, input: { name: 'b' } }), 3],
  ['a dry run does not count as an edit', row({ ifVersion: 3, dryRun: true, input: {} }), undefined],
  ['a refused edit does not count as an edit', row({ ifVersion: 3, input: {} }, { result: 'VersionConflict' }), undefined],
  ['the version is unknown if the audit did not store it', row({}, { summary: 'cut' }), undefined],
  ['no version precedes the creation', row({ input: { name: 'b' } }, { mutation: 'aggregateCreate' }), undefined],
])('%s', (_name, entry, version) => expect(versionBefore(entry)).toBe(version))

test('a version is found by going back from a later moment, but not if two edits have the same millisecond', async () => {
  const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`
  const states = [
    { version: 1, updatedAt: at(1) },
    { version: 2, updatedAt: at(2) },
    { version: 4, updatedAt: at(4) },
  ]
  const read = async (moment: string) => states.findLast(({ updatedAt }) => updatedAt <= moment) ?? null
  expect(await findVersion(1, at(5), read)).toEqual(states[0])
  expect(await findVersion(2, at(2), read)).toEqual(states[1])
  expect(await findVersion(3, at(5), read)).toBeUndefined()
  expect(await findVersion(1, at(0), read)).toBeUndefined()
})
