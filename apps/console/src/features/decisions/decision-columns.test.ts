import { expect, test } from 'vitest'
import { type DecisionRow, decisionColumns } from './decision-columns.tsx'

const kept = (firstRevision: number) => decisionColumns('utc', firstRevision).find(({ key }) => key === 'kept')
const rowAt = (fleetRevision: string) => ({ fleetRevision }) as DecisionRow

test('of what the log does not reach back to the summary is kept, and rows say so by themselves then', () => {
  expect(['1', '41', '42'].map((revision) => kept(42)?.value(rowAt(revision)))).toEqual(['summary', 'summary', 'all'])
  expect([kept(0)?.value(rowAt('1')), kept(0)?.isExtra, kept(42)?.isExtra]).toEqual(['all', true, false])
})

test('the main reason is what took the last hosts that were left, not what refused first', () => {
  const reasons = [
    { filter: 'ComputeFilter', code: 'host.disabled', hosts: 18, text: 'The host is DISABLED.' },
    { filter: 'RamFilter', code: 'memory.short', hosts: 9, text: '8 GiB are missing.' },
    { filter: 'RamFilter', code: 'memory.none', hosts: 1, text: 'It has none.' },
  ]
  // all that the column reads of a row
  const row = { destinations: [], reasons } as unknown as DecisionRow
  const column = decisionColumns('utc', 0).find(({ label }) => label === 'Host, or main reason')
  expect(column?.value(row)).toBe('RamFilter: for one: 8 GiB are missing. (9)')
})
