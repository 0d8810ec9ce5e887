import { expect, test } from 'vitest'
import { type CollectorProgress, collectorState, unsentNote } from './collector-state.ts'

type Row = readonly [Omit<CollectorProgress, 'outdated'>, now: readonly [string, RegExp | undefined], then: readonly [string, RegExp]]

test.each<Row>([
  [
    { state: 'WAITING', intervalSeconds: 30 },
    ['not run yet', /^Not sent yet: .* power was not run yet\. This is an earlier document\.$/],
    ['had not been run yet', /^The collector power had not been run yet\. This is an earlier document\.$/],
  ],
  [
    { state: 'SENDING', intervalSeconds: 30 },
    ['sent every 30 s', undefined],
    ['was sent every 30 s', /^The collector power sent it every 30 s\. This is its last document\.$/],
  ],
  [
    { state: 'SLOWED', intervalSeconds: 3_600 },
    ['sent only every 3,600 s: no profile in use reads it', /^Sent only every 3,600 s: .* power is slowed\. This is its last document\.$/],
    ['was sent only every 3,600 s: no profile in use read it', /^The collector power sent it only every 3,600 s: .*last document\.$/],
  ],
  [
    { state: 'PAUSED', intervalSeconds: null },
    ['not sent: no profile in use reads it', /^Not sent now: .* power is paused\. .*last document/],
    ['was not sent: no profile in use read it', /^The collector power was paused: no profile in use read it\. .*last document/],
  ],
  [
    { state: 'FAILING', intervalSeconds: 30 },
    ['failing', /^Not sent now: the collector power fails\. .*last good document\.$/],
    ['was failing', /^The collector power was failing\. .*last good document\.$/],
  ],
])('the collector %j', (collector, now, then) => {
  for (const [outdated, [text, note]] of [
    [false, now],
    [true, then],
  ] as const) {
    expect(collectorState({ ...collector, outdated })).toBe(text)
    const [sent, none] = [true, false].map((hasDocument) => unsentNote({ ...collector, outdated }, 'power', hasDocument))
    if (note === undefined) expect([sent, none]).toEqual([undefined, undefined])
    else {
      expect(sent).toMatch(note)
      expect(none).toBe(sent?.replace(/This is .*$/, 'The host has no document.'))
    }
  }
})
