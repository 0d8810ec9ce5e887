import { FaultError } from '@gantt/client'
import { expect, test } from 'vitest'
import { problemOf, problemText } from './problem.tsx'

test('the text for a ticket has the error, its code and the id of the request', () => {
  const fault = new FaultError([{ message: 'first is 5000.', extensions: { code: 'BAD_USER_INPUT', requestId: 'req-7' } }], 200)
  expect(problemText(problemOf(fault))).toBe('The service refused the call: first is 5000.\ncode BAD_USER_INPUT\nrequest req-7')
  expect(problemText(problemOf(new Error('no such thing')))).toBe('Something went wrong: no such thing')
})
