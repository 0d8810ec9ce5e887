import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type Link, startLink } from './link.ts'

/** A way to a PostgreSQL server that can be cut at the worst moment. */
export interface CuttingProxy extends Omit<Link, 'lead' | 'port'> {
  /** Folder of the proxy's socket, as `host` of a connection. */
  readonly host: string
  /** Cuts the next connection that appends to the log: after the statement reached the server, or before. */
  cutNextAppend(when: 'before' | 'after'): void
  /** New connections reach the server whose socket is in this folder. */
  lead(serverSocketFolder: string): void
}

/** The name under which the service prepares its append: seen in every message that runs it. */
const APPEND = Buffer.from('gantt-append')
const SOCKET = '.s.PGSQL.5432'

/** Listens on a Unix socket in a folder of its own and passes everything on to the server's socket. */
export async function startCuttingProxy(serverSocketFolder: string, folder: string): Promise<CuttingProxy> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let armed: 'before' | 'after' | undefined
  const socketIn = (of: string) => ({ path: path.join(of, SOCKET) })
  const link = await startLink(socketIn(folder), socketIn(serverSocketFolder), (piece) => {
    if (armed === undefined || !piece.includes(APPEND)) return undefined
    const when = armed
    armed = undefined
    return when
  })
  return {
    host: folder,
    cutNextAppend(when) {
      armed = when
    },
    lead: (to) => link.lead(socketIn(to)),
    sever: link.sever,
    setOpen: link.setOpen,
    setDelay: link.setDelay,
    setSilent: link.setSilent,
    get cuts() {
      return link.cuts
    },
    get received() {
      return link.received
    },
    close: link.close,
  }
}
