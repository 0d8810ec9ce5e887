import { expect, test } from 'vitest'
import { type CollectorProgress, collectorState, unsentNote } from './collector-state.ts'

test.each<[CollectorProgress, string, RegExp | undefined]>([
  [{ state: 'WAITING', intervalSeconds: 30 }, 'not run yet', /^Not sent yet: .* power was not run yet\. This is an earlier document\.$/],
  [{ state: 'SENDING', intervalSeconds: 30 }, 'sent every 30 s', undefined],
  [
    { state: 'SLOWED', intervalSeconds: 3_600 },
    'sent only every 3,600 s: no profile in use reads it',
    /^Sent only every 3,600 s: .* power is slowed\. This is its last document\.$/,
  ],
  [
    { state: 'PAUSED', intervalSeconds: null },
    'not sent: no profile in use reads it',
    /^Not sent now: .* power is paused\. .*last document/,
  ],
  [{ state: 'FAILING', intervalSeconds: 30 }, 'failing', /^Not sent now: the collector power fails\. .*last good document\.$/],
])('the collector %j', (collector, text, note) => {
  expect(collectorState(collector)).toBe(text)
  const [sent, none] = [true, false].map((hasDocument) => unsentNote(collector, 'power', hasDocument))
  if (note === undefined) expect([sent, none]).toEqual([undefined, undefined])
  else {
    expect(sent).toMatch(note)
    expect(none).toBe(sent?.replace(/This is .*$/, 'The host has no document.'))
  }
})
