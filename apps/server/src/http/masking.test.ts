import { expect, test } from 'vitest'
import { toFault } from './masking.ts'

/** As the database layer throws it. */
const prismaError = (code: string) => Object.assign(new Error('a text of its own'), { code })

test.each([
  ['no server', 'P1001'],
  ['no connection in time', 'P2024'],
  ['a transaction that was not over in time', 'P2028'],
])('%s is an outage, which may be asked again', (_what, code) => {
  expect(toFault(prismaError(code)).extensions).toMatchObject({ code: 'UNAVAILABLE', retryable: true, retryAfterMs: 1_000 })
})

test('what the database says of a query is ours to mend, and told to nobody', () => {
  const fault = toFault(prismaError('P2002'))
  expect(fault.extensions).toMatchObject({ code: 'INTERNAL', retryable: false })
  expect(fault.message).not.toContain('a text of its own')
})
