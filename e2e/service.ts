import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@gantt/client'
import { startCommand } from './process.ts'

/** The built service as a process of our own. */
export interface Service {
  /** Where the console is. */
  readonly origin: string
  /** Where the API is. */
  readonly url: string
  /** May do everything. */
  readonly key: string
  readonly client: Client
  /** Waits for the end, and leaves nothing behind. */
  stop(): Promise<void>
}

/** A demo: what it printed leads somewhere. */
export interface Demo extends Service {
  /** The failed decision to start with: its address, without origin and key. */
  readonly start: string
  /** Everything else that it links to, likewise. */
  readonly others: readonly string[]
}

const KEY = 'the-admin-key-of-browser-tests'

/** Chooses among racks; no profile of the release names its parts. */
const RACK = fileURLToPath(new URL('../examples/plugin-rack', import.meta.url))

/** Starts `gantt serve`, with a plug-in. */
export async function startService(): Promise<Service> {
  const { lines, stop } = await startCommand(
    () => ['serve'],
    /^Gantt is ready at /,
    (folder) => ({ GANTT_DATA_DIR: folder, GANTT_ADMIN_KEY: KEY, GANTT_PLUGINS: `trusted:${RACK}` }),
  )
  return toService(/http:\S+\/graphql/.exec(lines.join('\n'))?.[0] ?? '', KEY, stop)
}

/** Starts `gantt demo` with a fleet that keeps still. */
export async function startDemo(): Promise<Demo> {
  const { lines, stop } = await startCommand((folder) => ['demo', '--once', '--port', '0', '--data-dir', folder], /export GANTT_KEY=/)
  const text = lines.join('\n')
  const [, url = ''] = /export GANTT_URL=(\S+)/.exec(text) ?? []
  const [, key = ''] = /export GANTT_KEY=(\S+)/.exec(text) ?? []
  const links = [...text.matchAll(/http:\S+/g)].flatMap(([link]) => (link === url ? [] : [new URL(link)]))
  const [start = '', ...others] = links.map(({ pathname, search }) => `${pathname}${search}`)
  return { ...toService(url, key, stop), start, others }
}

const toService = (url: string, key: string, stop: () => Promise<void>): Service => ({
  origin: new URL(url).origin,
  url,
  key,
  client: createClient({ url, key, deadlineMs: 30_000 }),
  stop,
})
