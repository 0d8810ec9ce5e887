import { expect, test } from 'vitest'
import { toFault } from './masking.ts'

/** An error with this code, as the database layer throws it. */
const prismaError = (code: string) => Object.assign(new Error('a text of its own'), { code })

test.each([
  ['no server', 'P1001'],
  ['no connection in time', 'P2024'],
  ['a transaction that did not end in time', 'P2028'],
])('%s is reported as an outage, and the call may be retried', (_what, code) => {
  expect(toFault(prismaError(code)).extensions).toMatchObject({ code: 'UNAVAILABLE', retryable: true, retryAfterMs: 1_000 })
})

test("the database's error message is logged and not shown to callers", () => {
  const fault = toFault(prismaError('P2002'))
  expect(fault.extensions).toMatchObject({ code: 'INTERNAL', retryable: false })
  expect(fault.message).not.toContain('a text of its own')
})
