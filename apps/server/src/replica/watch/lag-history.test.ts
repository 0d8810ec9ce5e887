import { expect, test } from 'vitest'
import type { ReplicaRow } from '../../stores/replicas.ts'
import { createLagHistory } from './lag-history.ts'

const START = 1_000_000_000_000

const row = (id: string, seenAt: number, lagMs: number) => ({ id, seenAt, lagMs }) as ReplicaRow

test('the longest lag in each step of ten seconds is stored; a step without a sign of life has no lag', () => {
  const lags = createLagHistory()
  lags.take({ now: START, rows: [row('a', START, 3)] })
  lags.take({ now: START + 2_000, rows: [row('a', START + 2_000, 9)] })
  lags.take({ now: START + 4_000, rows: [row('a', START + 4_000, 0)] })
  lags.take({ now: START + 21_000, rows: [row('a', START + 21_000, 1)] })
  expect(lags.of('a')).toHaveLength(60)
  expect(lags.of('a').slice(-4)).toEqual([null, 9, null, 1])
  expect(lags.of('b').every((lag) => lag === null)).toBe(true)
})

test('a silent replica has no further lags, and is removed after ten minutes', () => {
  const lags = createLagHistory()
  const silent = row('a', START, 5)
  lags.take({ now: START, rows: [silent] })
  lags.take({ now: START + 590_000, rows: [silent] })
  expect(lags.of('a')).toEqual([5, ...Array(59).fill(null)])
  lags.take({ now: START + 600_000, rows: [silent] })
  expect(lags.of('a').every((lag) => lag === null)).toBe(true)
})

test('after the clock of the store is set back, no lag is in the future', () => {
  const lags = createLagHistory()
  lags.take({ now: START + 60_000, rows: [row('a', START + 60_000, 5)] })
  lags.take({ now: START, rows: [row('a', START, 1)] })
  lags.take({ now: START + 60_000, rows: [] })
  expect(lags.of('a').filter((lag) => lag !== null)).toEqual([1])
})
