import { expect, test } from 'vitest'
import { chooseFlushing, flushingText } from './flushing.ts'

/** A store with transactions of the given durations in milliseconds. Every tenth transaction takes longer. */
function aStore(flushMs: number, commitMs: number) {
  let time = 0
  let count = 0
  const take = (ms: number) => async () => {
    count++
    time += ms + (count % 10 === 0 ? 50 : 0)
  }
  return { flush: take(flushMs), commit: take(commitMs), now: () => time }
}

test.each([
  ['flushes of a slow disk are shared', 'auto', 2.3, 0.3, { isShared: true, medianMs: 2 }],
  ['flushes of a fast disk are not shared', 'auto', 0.42, 0.3, { isShared: false, medianMs: 0.12 }],
  ['flushes that take exactly the limit are shared', 'auto', 0.6, 0.3, { isShared: true, medianMs: 0.3 }],
  ['the setting "on" shares flushes of any disk', 'on', 0.1, 0.1, { isShared: true, medianMs: null }],
  ['the setting "off" shares flushes of no disk', 'off', 20, 0.1, { isShared: false, medianMs: null }],
] as const)('%s', async (_name, setting, flushMs, commitMs, expected) => {
  expect(await chooseFlushing(setting, aStore(flushMs, commitMs))).toEqual(expected)
})

test('a message shows operators how entries reach the disk', () => {
  expect(flushingText({ isShared: true, medianMs: 2.1 })).toBe(
    'Log entries: one flush to disk serves all waiting calls; a flush takes 2.1 ms.',
  )
  expect(flushingText({ isShared: false, medianMs: null })).toBe(
    'Log entries: each append waits for its own flush to disk, as GANTT_SHARED_FLUSH says.',
  )
  expect(flushingText({ isShared: false, medianMs: null, copies: 3 })).toBe(
    'Log entries: most of the 3 servers have an entry before its calls are answered; no call waits for a disk.',
  )
})
