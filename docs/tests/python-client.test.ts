import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../apps/server/src/testing/test-database.ts'
import { ADMIN_KEY, type Service, startService } from '../../packages/proofs/src/processes/service.ts'

// Runs the tests of the Python client, with a real service, and the programs of its README: both with the Python of the machine, in which
// nothing is installed.

const folder = fileURLToPath(new URL('../../clients/python', import.meta.url))
const PYTHON = ['/usr/bin/python3', 'python3'].find(
  (program) => spawnSync(program, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
)
const note = PYTHON === undefined ? ' [skipped: there is no Python 3.9 or newer]' : ''

interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs Python in the folder of the client, without installed packages, settings and caches. */
const python = (args: readonly string[], input = '', environment: Readonly<Record<string, string>> = {}): Run =>
  spawnSync(PYTHON ?? '', ['-s', '-B', '-W', 'error', ...args], {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
  })

describe.skipIf(PYTHON === undefined)(`the Python client${note}`, () => {
  let state: string
  let service: Service
  let database: TestDatabase

  beforeAll(async () => {
    state = await mkdtemp(path.join(tmpdir(), 'gantt-python-'))
    database = await createTestDatabase()
    service = await startService({ GANTT_DATA_DIR: path.join(state, 'state'), DATABASE_URL: database.url })
  })

  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    await rm(state, { recursive: true, force: true })
  })

  test(`the programs of clients/python/README.md print what it shows${note}`, async () => {
    const page = await readFile(path.join(folder, 'README.md'), 'utf8')
    const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, form = '', text = '']) => ({ form, text }))
    expect(blocks.map(({ form }) => form)).toEqual(['python', 'text', 'python', 'text'])
    for (let i = 0; i < blocks.length; i += 2) {
      const program = blocks[i]?.text ?? ''
      expect(
        program
          .trim()
          .split('\n')
          .filter((line) => line !== '').length,
      ).toBeLessThanOrEqual(10)
      // as it is typed in, except for the port and the key of this service
      const typed = program.replace('http://127.0.0.1:4400/graphql', service.url).replace('gantt_...', ADMIN_KEY)
      const { status, stdout, stderr } = python(['-i', '-q'], typed)
      expect([stderr.replaceAll(/>>> |\.\.\. /g, '').trim(), stdout, status]).toEqual(['', blocks[i + 1]?.text, 0])
    }
  })

  test(`the tests of clients/python pass, and none is skipped${note}`, () => {
    const { status, stderr } = python(['-m', 'unittest', '-v'], '', { GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY })
    expect(status, stderr).toBe(0)
    expect(stderr).toMatch(/^Ran \d{3} tests/m)
    expect(stderr).not.toMatch(/skipped|Exception ignored/)
  })
})
