import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { ADMIN_KEY, type Service, startService } from '../../../../packages/proofs/src/processes/service.ts'
import { createTestDatabase, type TestDatabase } from '../../../server/src/testing/test-database.ts'
import { reportFleet } from './fleet.ts'
import { type CommandOutput, gantt } from './gantt.ts'

/** A service that only the tests of one file use. The service runs from the first test to the last. */
export interface OwnService {
  readonly service: Service
  /** A folder for files of the tests; the service may read them. */
  readonly folder: string
  readonly stateDir: string
  /** The settings that `gantt` needs to call the service with the admin key. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs `gantt ...` against the service with the admin key, and returns its output. */
  run(...args: readonly string[]): Promise<CommandOutput>
}

export interface OwnServiceOptions {
  /** Settings that are added to those of every test service. */
  readonly settings?: Readonly<Record<string, string>>
  /** False if the hosts of fleet.ts are not reported before the first test. */
  readonly withFleet?: boolean
  /**
   * True if the service starts its own PostgreSQL server in `stateDir`, as at a first start. By default it uses the server that all tests
   * share.
   */
  readonly ownDatabase?: boolean
}

export function useOwnService({ settings = {}, withFleet = true, ownDatabase = false }: OwnServiceOptions = {}): OwnService {
  let service: Service
  let folder: string
  let database: TestDatabase | undefined
  const own: OwnService = {
    get service() {
      return service
    },
    get folder() {
      return folder
    },
    get stateDir() {
      return path.join(folder, 'state')
    },
    get environment() {
      return { GANTT_URL: service.url, GANTT_KEY: ADMIN_KEY }
    },
    run: (...args) => gantt(own.environment, ...args),
  }

  beforeAll(async () => {
    folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-cli-'))
    // The embedded database may run under another account, which must be able to enter the folder.
    fs.chmodSync(folder, 0o711)
    if (!ownDatabase) database = await createTestDatabase()
    service = await startService({ GANTT_DATA_DIR: own.stateDir, ...(database && { DATABASE_URL: database.url }), ...settings })
    if (withFleet) await reportFleet(service.client)
  })

  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    // A test may have killed the service. Its database server then still runs.
    if (ownDatabase) await gantt({}, 'db', 'stop', '--data-dir', own.stateDir)
    fs.rmSync(folder, { recursive: true, force: true })
  })

  return own
}
