import { expect, test } from 'vitest'
import { idsIn } from './ids.ts'

const A = '0b9f6c4e-1f3a-4a55-9d2e-6c1f0a7e5b11'
const B = 'a3a1f2d0-7c58-4f0e-8f7b-2d1f9e6c4b22'
const DECISION = Buffer.from(`Decision:${A}`).toString('base64url')
const CLAIM = Buffer.from(`Claim:${B}`).toString('base64url')

test.each([
  ['a line of Nova', `WARNING nova.scheduler [None req-${A} 0f3c2a - - - -] [instance: ${B}] failed`, [`req-${A}`, B]],
  ['a response of the service', '{"extensions":{"code":"INTERNAL","requestId":"ticket-4711"}}', ['ticket-4711']],
  ['a header', `X-Request-Id: ${A}`, [A]],
  ['our own log', 'request ticket-4711 failed: no such column', ['ticket-4711']],
  ['links', `http://gantt/decisions/${DECISION}?host=h1 ${CLAIM}`, [DECISION, CLAIM]],
  ['an id that occurs twice, once in capitals', `${A} ${A.toUpperCase()}`, [A]],
  ['words without ids', 'request a host for deadbeef-0000 in az1', []],
])('idsIn finds exactly the ids in %s', (_name, text, ids) => expect(idsIn(text)).toEqual(ids))

test('at most the first 12 ids in a text are returned', () =>
  expect(idsIn(Array.from({ length: 40 }, (_, i) => `req-${A.slice(0, -2)}${10 + i}`).join(' '))).toHaveLength(12))
