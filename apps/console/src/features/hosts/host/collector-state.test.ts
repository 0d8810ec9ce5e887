import { expect, test } from 'vitest'
import { type CollectorProgress, collectorState, unsentNote } from './collector-state.ts'

test.each<[CollectorProgress, string, RegExp | undefined]>([
  [{ state: 'WAITING', intervalSeconds: 30 }, 'not run yet', undefined],
  [{ state: 'SENDING', intervalSeconds: 30 }, 'sent every 30 s', undefined],
  [
    { state: 'SLOWED', intervalSeconds: 3_600 },
    'sent only every 3,600 s: no profile in use reads it',
    /^Sent only every 3,600 s: .* power is slowed\.$/,
  ],
  [
    { state: 'PAUSED', intervalSeconds: null },
    'not sent: no profile in use reads it',
    /^Not sent now: .* power is paused\. .*last document/,
  ],
  [{ state: 'FAILING', intervalSeconds: 30 }, 'failing', /^Not sent now: the collector power fails\. .*last good document\.$/],
])('the collector %j', (collector, text, note) => {
  expect(collectorState(collector)).toBe(text)
  if (note === undefined) expect(unsentNote(collector, 'power')).toBeUndefined()
  else expect(unsentNote(collector, 'power')).toMatch(note)
})
