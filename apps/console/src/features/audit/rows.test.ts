import { expect, test } from 'vitest'
import { csvOf } from '../../lib/csv.ts'
import { type AuditRow, argumentsOf, auditFieldsCopied } from './rows.ts'

const row: AuditRow = {
  ...{ id: 'a', seq: 7, at: '2026-11-20T09:14:02.000Z', account: '=cmd()', keyId: 'k', mutation: 'apiKeyRevoke', target: 'x, y' },
  ...{ result: 'ApiKeyPayload', requestId: 'r', summary: '{"id":"x"}', hash: 'h', previous: 'p' },
}

test('rows are safe to open in a spreadsheet', () => {
  expect(csvOf(auditFieldsCopied, [row]).split('\r\n')[1]).toBe(
    `7,2026-11-20T09:14:02.000Z,'=cmd(),k,apiKeyRevoke,"x, y",ApiKeyPayload,r,"{""id"":""x""}",h`,
  )
})

test('truncated arguments are shown unchanged', () => {
  expect(argumentsOf(row)).toBe('{\n  "id": "x"\n}')
  expect(argumentsOf({ summary: '{"id":"x' })).toBe('{"id":"x')
})
