import { expect, test } from 'vitest'
import { type AuditRow, deedOf, historyQuery, momentBefore } from './history.ts'

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
    'an edit is told by its deltas',
    row({
      input: { name: 'b', setMetadata: [{ key: 'ssd', value: 'true' }], unsetMetadata: ['hdd'], addHosts: ['h1'], removeHosts: ['h2'] },
    }),
    'name: b, - hdd, + ssd=true, - host h2, + host h1',
  ],
  ['many hosts are told as far as they were kept', row({ input: { addHosts: ['h1', '... 30 more'] } }), '+ host h1, + host ... 30 more'],
  ['what was only tried changed nothing', row({ dryRun: true, input: { name: 'b' } }), undefined],
  ['what was refused changed nothing', row({ input: { name: 'b' } }, { result: 'VersionConflict' }), undefined],
  ['what was too long to keep says so', row({}, { summary: 'cut' }), 'changed it; the arguments were too long to keep whole'],
  ['its making', row({}, { mutation: 'aggregateCreate' }), 'made it'],
])('%s', (_name, entry, deed) => expect(deedOf(entry)).toBe(deed))

test('the line of the audit names the aggregate; the moment before an edit is a millisecond before', () => {
  expect(historyQuery('u-1')).toContain('target:u-1')
  expect(momentBefore('2026-01-01T00:00:00.000Z')).toBe('2025-12-31T23:59:59.999Z')
})
