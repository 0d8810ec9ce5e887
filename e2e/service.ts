import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@gantt/client'
import { type Running, startCommand } from './process.ts'

/** The built service as a process of our own. */
export interface Service extends Pick<Running, 'folder' | 'kill' | 'stop'> {
  /** Where the console is. */
  readonly origin: string
  /** Where the API is. */
  readonly url: string
  /** May do everything. */
  readonly key: string
  readonly client: Client
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

/** Where a service finds the data of another, to be a replica beside it, and the port that it takes. */
export interface Beside {
  readonly folder: string
  /** Any that is free, if not given. */
  readonly port?: number
}

/** Starts `gantt serve`, with a plug-in. */
export async function startService(beside?: Beside): Promise<Service> {
  const running = await startCommand(
    () => ['serve'],
    /^Gantt is ready at /,
    (folder) => ({
      GANTT_DATA_DIR: beside?.folder ?? folder,
      PORT: String(beside?.port ?? 0),
      GANTT_ADMIN_KEY: KEY,
      GANTT_PLUGINS: `trusted:${RACK}`,
    }),
  )
  return toService(/http:\S+\/graphql/.exec(running.lines.join('\n'))?.[0] ?? '', KEY, running)
}

/** Starts `gantt demo` with a fleet that keeps still. */
export async function startDemo(): Promise<Demo> {
  const running = await startCommand((folder) => ['demo', '--once', '--port', '0', '--data-dir', folder], /export GANTT_KEY=/)
  const text = running.lines.join('\n')
  const [, url = ''] = /export GANTT_URL=(\S+)/.exec(text) ?? []
  const [, key = ''] = /export GANTT_KEY=(\S+)/.exec(text) ?? []
  const links = [...text.matchAll(/http:\S+/g)].flatMap(([link]) => (link === url ? [] : [new URL(link)]))
  const [start = '', ...others] = links.map(({ pathname, search }) => `${pathname}${search}`)
  return { ...toService(url, key, running), start, others }
}

const toService = (url: string, key: string, { folder, kill, stop }: Running): Service => ({
  origin: new URL(url).origin,
  url,
  key,
  client: createClient({ url, key, deadlineMs: 30_000 }),
  folder,
  kill,
  stop,
})
