import { NatsNotReadyError } from '@gantt/server'
import { expect, test } from 'vitest'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { asCommandFailure, StoppedError } from './failure.ts'
import { refused } from './folder.ts'
import { PartEndedError } from './parts.ts'

test.each([
  ['a process that ended', new PartEndedError('replica-1 ended')],
  ['a signal', new StoppedError('stopped by SIGINT')],
  ['nats-servers that are not ready', new NatsNotReadyError('not ready after 60 s')],
  ['an error of the system', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })],
  ['a refusal', refused('another service uses the database')],
])('the user gets only the message of an error that can be corrected: %s', async (_what, error) => {
  const failure = await asCommandFailure(Promise.reject(error)).catch((caught: unknown) => caught)
  expect(failure).toBeInstanceOf(CommandFailure)
  expect(failure).toMatchObject({ message: error.message, exitCode: EXIT.refused })
})

test('a defect stays an error with its stack', async () => {
  const defect = new TypeError('undefined is not a function')
  await expect(asCommandFailure(Promise.reject(defect))).rejects.toBe(defect)
})
