import { findUnplain, namespaceNamed } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { isSafeJson } from '../../../../server/src/testing/json-rule.ts'
import type { CollectorView } from '../collector.ts'
import { statesDocument } from './states.ts'

const AT = Date.parse('2026-11-20T12:00:00Z')
const view: CollectorView = {
  ...{ name: 'power', namespace: 'power', state: 'SENDING', since: AT, intervalSeconds: 30, error: null, lastGoodAt: AT + 5_000 },
}
const entryOf = (change: Partial<CollectorView>) => {
  const { collectors } = statesDocument([{ ...view, ...change }])
  return (collectors as readonly unknown[])[0]
}

test('while documents are sent, the states do not change with each of them', () => {
  expect(entryOf({ lastGoodAt: AT + 35_000 })).toEqual(entryOf({}))
  expect(entryOf({})).toEqual({
    name: 'power',
    namespace: 'power',
    state: 'SENDING',
    since: '2026-11-20T12:00:00.000Z',
    intervalSeconds: 30,
  })
})

test('a collector that fails or is paused has the time of its last good document', () => {
  const error = { code: 'CRASHED', text: 'it ended', at: AT } as const
  expect(entryOf({ state: 'FAILING', error })).toMatchObject({
    error: { code: 'CRASHED', text: 'it ended', at: '2026-11-20T12:00:00.000Z' },
    lastGoodAt: '2026-11-20T12:00:05.000Z',
  })
  const paused = entryOf({ state: 'PAUSED', intervalSeconds: null })
  expect(paused).toMatchObject({ lastGoodAt: '2026-11-20T12:00:05.000Z' })
  expect(paused).not.toHaveProperty('intervalSeconds')
})

test('the text of an error is shortened, and has no characters that the service refuses', () => {
  const textOf = (text: string): string => {
    const entry = entryOf({ state: 'FAILING', error: { code: 'CRASHED', text, at: AT } }) as { readonly error: { readonly text: string } }
    return entry.error.text
  }
  expect(textOf('a\u0000b\u2028c\u001b[31md')).toBe('a\\u{0}b c\\u{1b}[31md')
  expect(textOf('x'.repeat(501))).toBe(`${'x'.repeat(497)}...`)
  // the pair of the last kept character is cut off
  expect(textOf(`${'x'.repeat(496)}${'\u{1f600}'.repeat(9)}`)).toBe(`${'x'.repeat(496)}...`)
})

test('the service accepts the states of collectors with any error text', () => {
  const codes = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))
  fc.assert(
    fc.property(fc.string({ unit: codes, maxLength: 700 }), (text) => {
      const document = statesDocument([{ ...view, state: 'FAILING', error: { code: 'CRASHED', text, at: AT } }])
      expect([isSafeJson(document), findUnplain(document, 1), namespaceNamed('collectors')?.parse('1.0', document).ok]).toEqual([
        true,
        [],
        true,
      ])
    }),
    { numRuns: byExtent(500, 20_000) },
  )
})
