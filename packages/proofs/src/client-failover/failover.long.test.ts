import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../../apps/server/src/testing/test-database.ts'
import { type Service, startService } from '../processes/service.ts'
import { type ClientProgram, failOver } from './failover.ts'

/** The folder of the client library in Python, which runs there without being installed. */
const PYTHON = fileURLToPath(new URL('../../../../clients/python', import.meta.url))

/** The programs of the client libraries, by the name of the language. */
const PROGRAMS: Readonly<Record<string, ClientProgram>> = {
  Python: { command: 'python3', args: [path.join(PYTHON, 'tests/place_many.py')], environment: { PYTHONPATH: PYTHON } },
  TypeScript: { command: process.execPath, args: [fileURLToPath(new URL('place-many.mjs', import.meta.url))] },
}

const CALLS = 1_000

const rows = Object.entries(PROGRAMS).flatMap(([language, program]) =>
  (['kill', 'pause'] as const).map((fault) => [fault, language, program] as const),
)

/** Why a program cannot run here. Undefined if it can. */
function missing({ command }: ClientProgram): string | undefined {
  if (command !== 'python3') return undefined
  if (!existsSync(PYTHON)) return 'this checkout has no folder clients/python'
  return spawnSync(command, ['--version']).status === 0 ? undefined : 'there is no python3 here'
}

test.for(rows)(
  'after a %s of the preferred replica in the middle of 1,000 calls in %s, each key has exactly one live claim',
  async ([fault, , program], context) => {
    const reason = missing(program)
    if (reason !== undefined) context.skip(reason)
    const folder = await mkdtemp(path.join(tmpdir(), 'gantt-failover-'))
    const database = await createTestDatabase()
    const started: Service[] = []
    const start = async (name: string): Promise<Service> => {
      const service = await startService({ GANTT_DATA_DIR: path.join(folder, name), DATABASE_URL: database.url })
      started.push(service)
      return service
    }
    try {
      const replicas = [await start('first'), await start('second')] as const
      const { lines, linesAfterFault, liveClaims, status, complaints } = await failOver({ program, replicas, calls: CALLS, fault })
      expect({ status, complaints }).toEqual({ status: 0, complaints: '' })
      expect(linesAfterFault, 'the replica failed in the middle of the calls').toBeGreaterThan(CALLS / 3)
      expect(lines.filter(({ error }) => error !== undefined)).toEqual([])
      expect(new Set(lines.map(({ key }) => key)).size).toBe(CALLS)
      expect(liveClaims.toSorted()).toEqual(lines.map(({ claim }) => claim).toSorted())
      expect(new Set(liveClaims).size).toBe(CALLS)
    } finally {
      for (const service of started) {
        if (fault === 'pause') service.resume()
        await service.stop()
      }
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
