import { expect, test, vi } from 'vitest'
import { createContact } from './contact.ts'
import { type Contact, silenceOf, silenceOfSource } from './freshness.ts'

const contact = (given: Partial<Contact> = {}): Contact => ({ heardAtMs: 10_000, stateAgeMs: 0, resumedAtMs: 0, ...given })

test.each([
  ['a heartbeat just now', contact(), 10_000, undefined],
  ['no heartbeat for less than three seconds', contact(), 12_999, undefined],
  ['no heartbeat for three seconds', contact(), 13_000, 3_000],
  ['no heartbeat for an hour', contact(), 3_610_000, 3_600_000],
  ['a state that is as old as usual', contact({ stateAgeMs: 2_000 }), 12_999, undefined],
  ['answers of a state that is too old', contact({ stateAgeMs: 5_000 }), 10_000, 3_000],
  ['a page that was suspended for an hour waits for an answer', contact({ resumedAtMs: 3_600_000 }), 3_602_000, undefined],
  ['a resumed page without an answer shows the whole time without contact', contact({ resumedAtMs: 3_600_000 }), 3_603_000, 3_593_000],
])('contact: %s', (_what, given, now, silence) => expect(silenceOf(given, now)).toBe(silence))

test.each([
  ['data that is read every 15 s is current in between', { readAtMs: 1_000, everyMs: 15_000 }, contact(), 12_000, undefined],
  [
    'data is current until it is three seconds overdue',
    { readAtMs: 1_000, everyMs: 15_000 },
    contact({ heardAtMs: 18_000 }),
    18_999,
    undefined,
  ],
  [
    'data can be overdue although other calls are answered',
    { readAtMs: 1_000, everyMs: 15_000 },
    contact({ heardAtMs: 19_000 }),
    19_000,
    18_000,
  ],
  ['without contact no data is current, even if it was just read', { readAtMs: 10_000, everyMs: 15_000 }, contact(), 14_000, 4_000],
  ['data that is read once is current while there is contact', { readAtMs: 1 }, contact({ heardAtMs: 900_000 }), 900_000, undefined],
  ['data that was never read has no age', { readAtMs: 0, everyMs: 1_000 }, contact({ heardAtMs: 900_000 }), 900_000, undefined],
  [
    'after a suspension, a new read has its usual time',
    { readAtMs: 1, everyMs: 1_000 },
    contact({ heardAtMs: 9e5, resumedAtMs: 9e5 }),
    901_000,
    undefined,
  ],
])('source: %s', (_what, source, given, now, silence) => expect(silenceOfSource(source, given, now)).toBe(silence))

/** A page with a clock that the tests set. */
function page() {
  let nowMs = 1_000_000
  const it = createContact({ now: () => nowMs })
  const [returned, looked] = [vi.fn(), vi.fn()]
  it.onReturn(returned)
  it.onLook(looked)
  return {
    ...it,
    returned,
    looked,
    /** Advances the clock by seconds in which the page runs. */
    run(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        nowMs += 1_000
        it.look()
      }
    },
    /** Advances the clock by seconds in which the page does not run. */
    sleep(seconds: number) {
      nowMs += 1_000 * seconds
    },
  }
}

test('contact is lost after three seconds, and listeners are called once when it is restored', () => {
  const { run, heard, silence, returned } = page()
  run(2)
  expect(silence()).toBeUndefined()
  run(1)
  expect(silence()).toBe(3_000)
  run(27)
  expect(silence()).toBe(30_000)
  expect(returned).not.toHaveBeenCalled()
  heard()
  expect([silence(), returned.mock.calls.length]).toEqual([undefined, 1])
  run(2)
  heard()
  expect(returned).toHaveBeenCalledTimes(1)
})

test('restored contact is shown at once, and not only at the next check', () => {
  const { run, heard, looked } = page()
  run(5)
  looked.mockClear()
  heard()
  expect(looked).toHaveBeenCalledTimes(1)
})

test('a page that was busy or asleep processes waiting messages before it decides that contact is lost', () => {
  const { run, sleep, silence, heard } = page()
  sleep(20)
  run(2)
  expect(silence()).toBeUndefined()
  heard()
  run(2)
  expect(silence()).toBeUndefined()
  sleep(20)
  run(1)
  expect(silence()).toBeUndefined()
  run(3)
  expect(silence()).toBe(26_000)
})

test('if answers contain an old state, the service is treated as silent', () => {
  const { run, heard, silence, returned } = page()
  for (let seconds = 0; seconds < 10; seconds++) {
    run(1)
    heard(1_000 * seconds)
  }
  expect(silence()).toBe(7_000)
  // an answer without the age of the state does not change the age
  heard()
  expect(silence()).toBe(7_000)
  heard(20)
  expect([silence(), returned.mock.calls.length]).toEqual([undefined, 1])
})

test('a removed listener is not called', () => {
  const { run, heard, onReturn } = page()
  const listener = vi.fn()
  onReturn(listener)()
  run(5)
  heard()
  expect(listener).not.toHaveBeenCalled()
})
