import { expect, test } from 'vitest'
import { toVitalsLines, type Vitals } from './vitals.ts'

const plain: Vitals = {
  ...{
    id: 'node-a/1234/5f',
    answers: false,
    decisionsPerSecond: 12.34,
    proposals: 100,
    conflicts: 3,
    conflictRate: 0.025,
    memoryBytes: 300 * 2 ** 20,
  },
  ...{ hosts: { up: 9_998, suspect: 1, down: 1 }, lagHistory: [null, 'PT0.2S', 'PT1M1S', 'PT59.9S'] },
}
/** The cells of a table with one replica. */
const cellsOf = (changes: Partial<Vitals>): string[] => (toVitalsLines([{ ...plain, ...changes }])[1] ?? '').split(/ {2,}/)

test.each<[string, Partial<Vitals>, number, string]>([
  ['decisions per second have one decimal', {}, 1, '12.3'],
  ['a very small rate is not shown as 0', { decisionsPerSecond: 0.02 }, 1, '<0.1'],
  ['a replica without decisions has the rate 0', { decisionsPerSecond: 0 }, 1, '0'],
  ['conflicts are shown as a percentage', {}, 2, '2.5 %'],
  ['a very small percentage is not shown as 0', { conflictRate: 0.000_1 }, 2, '<0.1 %'],
  ['without conflicts, the percentage is 0', { conflictRate: 0 }, 2, '0 %'],
  ['without proposals, the percentage is a hyphen', { proposals: 0, conflictRate: null }, 2, '-'],
  ['a percentage that the release does not report is unknown', { proposals: null, conflictRate: null }, 2, '?'],
  ['memory is shown in a suitable unit', {}, 3, '300 MiB'],
  ['memory that is not reported is unknown', { memoryBytes: null }, 3, '?'],
  ['hosts are counted by liveness', {}, 4, '9998'],
  ['counts of hosts that are not reported are unknown', { hosts: null }, 6, '?'],
  ['the longest lag is shown', {}, 7, '61 s'],
  ['a replica that does not lag has 0 ms', { lagHistory: ['PT0S', null] }, 7, '0 ms'],
  ['a long lag is shown in minutes', { lagHistory: ['PT3H', 'PT59S'] }, 7, '180 min'],
  ['a lag that was never measured is unknown', { lagHistory: [null] }, 7, '?'],
])('%s', (_name, changes, column, expected) => {
  expect(cellsOf(changes)[column]).toBe(expected)
})

test('the note about unknown values is printed only if the table has unknown values', () => {
  expect(toVitalsLines([plain])).toHaveLength(2)
  expect(toVitalsLines([plain, { ...plain, hosts: null }]).at(-1)).toMatch(/^\?: the replica does not follow the log yet/)
})

test('the table fits 80 columns even with the largest values', () => {
  const large = {
    ...plain,
    id: 'a-rather-long-name-of-a-machine/4294967/5f3e',
    answers: true,
    decisionsPerSecond: 123_456.7,
    conflictRate: 0.999,
  }
  const hosts = { up: 100_000, suspect: 100_000, down: 100_000 }
  const lines = toVitalsLines([{ ...large, hosts, memoryBytes: 123 * 2 ** 30, lagHistory: ['PT59M59.999S'] }], {
    columns: 80,
    isTerminal: true,
  })
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})
