import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startEmbeddedPostgres } from '@gantt/server'
import { expect, test } from 'vitest'
import { CommandFailure } from '../../call/failure.ts'
import { asCommandFailure } from './failure.ts'
import { createPostgresPart } from './postgres-part.ts'

test('a database that another service uses is not stopped, and the error says what to do', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-part-'))
  // If root runs the test, the database runs under another account, which must be able to enter the folder.
  fs.chmodSync(folder, 0o711)
  const part = createPostgresPart(folder)
  try {
    const user = await startEmbeddedPostgres({ stateDir: path.join(folder, 'postgres') })
    const failure = await asCommandFailure(part.stop()).catch((caught: unknown) => caught)
    expect(failure).toBeInstanceOf(CommandFailure)
    expect(failure).toMatchObject({ message: expect.stringMatching(/^another service uses the database in .*; stop it, then take/) })
    expect(part.pid()).toBeDefined()
    await user.stop()
    expect(part.pid()).toBeUndefined()
  } finally {
    await part.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
