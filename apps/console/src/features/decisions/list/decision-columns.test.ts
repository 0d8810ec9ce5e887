import { expect, test } from 'vitest'
import { type DecisionRow, decisionColumns } from './decision-columns.tsx'

const kept = (firstRevision: number) => decisionColumns('utc', firstRevision).find(({ key }) => key === 'kept')
const rowAt = (fleetRevision: string) => ({ fleetRevision }) as DecisionRow

test('the row of a decision that is older than the log shows that only its summary is stored', () => {
  expect(['1', '41', '42'].map((revision) => kept(42)?.value(rowAt(revision)))).toEqual(['summary', 'summary', 'all'])
  expect([kept(0)?.value(rowAt('1')), kept(0)?.isExtra, kept(42)?.isExtra]).toEqual(['all', true, false])
})

test('the list shows the cause for a refused request, and the destinations for a placed one', () => {
  // `row` has only the fields that the column reads.
  const shownOf = (row: object) =>
    decisionColumns('utc', 0)
      .find(({ label }) => label === 'Host or cause')
      ?.value(row as DecisionRow)
  expect(shownOf({ destinations: [], cause: { text: 'There is no host in availability zone z9.' } })).toBe(
    'There is no host in availability zone z9.',
  )
  expect(shownOf({ destinations: [{ selected: { host: { name: 'h1', node: 'n2' } } }], cause: null })).toBe('h1/n2')
})
