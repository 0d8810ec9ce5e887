import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@gantt/client'
import { createTestDatabase } from '../apps/server/src/testing/test-database.ts'
import { type Running, startCommand } from './process.ts'

/** A process of the built service. */
export interface Service extends Pick<Running, 'folder' | 'kill' | 'stop'> {
  /** The URL of the console. */
  readonly origin: string
  /** The URL of the API. */
  readonly url: string
  /** A key with all scopes. */
  readonly key: string
  readonly client: Client
}

/** A demo, and the links that it printed. */
export interface Demo extends Service {
  /** The path of the failed decision that the demo recommends to open first. */
  readonly start: string
  /** The paths of all other printed links. */
  readonly others: readonly string[]
}

const KEY = 'the-admin-key-of-browser-tests'

/** The example plug-ins about racks and about power. No profile of the release uses their filters and weighers. */
const PLUGINS = ['plugin-rack', 'plugin-power'].map((name) => `trusted:${fileURLToPath(new URL(`../examples/${name}`, import.meta.url))}`)

/** An existing service whose database a new replica uses, and the port of the new replica. */
export interface SharedStore {
  /** The folder of the service whose database is shared. */
  readonly folder: string
  /** The port. If absent, a free port is used. */
  readonly port?: number
}

/** The database of each running service, by the folder of the first service that uses the database. */
const databases = new Map<string, string>()

/**
 * Starts `gantt serve` with a plug-in. Without `shared`, the database of the service is a copy of the migrated template on the PostgreSQL
 * server that all tests share. This takes a third of the time that a separate PostgreSQL server would need to start.
 */
export async function startService(shared?: SharedStore): Promise<Service> {
  if (shared !== undefined) return toService(await serve(databaseOf(shared.folder), shared.port))
  const database = await createTestDatabase()
  try {
    const running = await serve(database.url)
    databases.set(running.folder, database.url)
    const stop = async (): Promise<void> => {
      await running.stop()
      databases.delete(running.folder)
      await database.drop()
    }
    return toService({ ...running, stop })
  } catch (error) {
    await database.drop()
    throw error
  }
}

function databaseOf(folder: string): string {
  const url = databases.get(folder)
  if (url === undefined) throw new Error(`No running service of this process has the folder ${folder}; start it with startService`)
  return url
}

const serve = (database: string, port = 0): Promise<Running> =>
  startCommand(
    () => ['serve'],
    /^Gantt is ready at /,
    (folder) => ({
      GANTT_DATA_DIR: folder,
      DATABASE_URL: database,
      PORT: String(port),
      GANTT_ADMIN_KEY: KEY,
      GANTT_PLUGINS: PLUGINS.join(','),
    }),
  )

/** Starts `gantt demo` with a fleet that does not change. */
export async function startDemo(): Promise<Demo> {
  const running = await startCommand((folder) => ['demo', '--once', '--port', '0', '--data-dir', folder], /export GANTT_KEY=/)
  const text = running.lines.join('\n')
  const [, url = ''] = /export GANTT_URL=(\S+)/.exec(text) ?? []
  const [, key = ''] = /export GANTT_KEY=(\S+)/.exec(text) ?? []
  const links = [...text.matchAll(/http:\S+/g)].flatMap(([link]) => (link === url ? [] : [new URL(link)]))
  const [start = '', ...others] = links.map(({ pathname, search }) => `${pathname}${search}`)
  return { ...serviceAt(url, key, running), start, others }
}

const toService = (running: Running): Service => serviceAt(/http:\S+\/graphql/.exec(running.lines.join('\n'))?.[0] ?? '', KEY, running)

const serviceAt = (url: string, key: string, { folder, kill, stop }: Running): Service => ({
  origin: new URL(url).origin,
  url,
  key,
  client: createClient({ url, key, deadlineMs: 30_000 }),
  folder,
  kill,
  stop,
})
