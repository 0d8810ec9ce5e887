import { expect, test } from 'vitest'
import { lagOf, pathOf } from './lag.ts'

test('the text has the smallest and the largest lag', () => {
  const replica = { lagHistory: [null, 'PT0.004S', 'PT1.2S', 'PT0S'] }
  expect(lagOf(replica)).toEqual({ steps: [undefined, 4, 1_200, 0], most: 1_200, text: '0 ms to 1.2 s' })
  expect(lagOf({ ...replica, lagHistory: [null, null] })).toBeUndefined()
})

test('the line rises with the lag, and has a gap while there was no heartbeat', () => {
  const lag = { steps: [0, 50, undefined, 100, undefined], most: 100, text: '' }
  expect(pathOf(lag, 40, 10)).toBe('M0.0 10.0h0L10.0 5.0M30.0 0.0h0')
  expect(pathOf({ ...lag, steps: [0, 0], most: 0 }, 40, 10)).toBe('M0.0 10.0h0L40.0 10.0')
})
