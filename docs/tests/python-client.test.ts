import { execFile, spawnSync } from 'node:child_process'
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
  /** 0, or the exit status or the error. */
  readonly status: number | string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs Python in the folder of the client, without installed packages, settings and caches. */
const python = (args: readonly string[], input = '', environment: Readonly<Record<string, string>> = {}): Promise<Run> =>
  new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment } }
    const child = execFile(PYTHON ?? '', ['-s', '-B', '-W', 'error', ...args], options, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    )
    child.stdin?.end(input)
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

  /** The blocks of a page: its programs, and what they print together. */
  async function readPage(page: string): Promise<{ readonly programs: readonly string[]; readonly printed: string }> {
    const text = await readFile(path.join(folder, page), 'utf8')
    const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, form = '', inner = '']) => ({ form, inner }))
    const of = (wanted: string) => blocks.filter(({ form }) => form === wanted).map(({ inner }) => inner)
    expect(blocks.map(({ form }) => form)).toEqual(blocks.map((_block, i) => (i % 2 === 0 ? 'python' : 'text')))
    return { programs: of('python'), printed: of('text').join('') }
  }

  /** Types programs in, with the port and the key of this service. Nothing but the prompts may be printed as an error. */
  async function typeIn(programs: readonly string[]): Promise<string> {
    const typed = programs.join('\n').replaceAll('http://127.0.0.1:4400/graphql', service.url).replaceAll('gantt_...', ADMIN_KEY)
    const { status, stdout, stderr } = await python(['-i', '-q'], typed)
    expect([stderr.replaceAll(/>>> |\.\.\. /g, '').trim(), status]).toEqual(['', 0])
    return stdout
  }

  test(`each program of clients/python/README.md has at most ten lines, and all print what the page shows${note}`, async () => {
    const { programs, printed } = await readPage('README.md')
    expect(programs).toHaveLength(2)
    for (const program of programs) expect(program.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10)
    expect((await typeIn(programs.slice(0, 1))) + (await typeIn(programs.slice(1)))).toBe(printed)
  })

  test(`the programs of docs/python-client.md print what it shows${note}`, async () => {
    const { programs, printed } = await readPage('../../docs/python-client.md')
    expect(await typeIn(programs)).toBe(printed)
  })

  test(`the tests of clients/python pass, and none is skipped${note}`, async () => {
    const { status, stderr } = await python(['-m', 'unittest', '-v'], '', { GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY })
    expect(status, stderr).toBe(0)
    expect(stderr).toMatch(/^Ran \d{3} tests/m)
    expect(stderr).not.toMatch(/skipped|Exception ignored/)
  })
})
