import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type Link, startLink } from './link.ts'

/** A proxy in front of a PostgreSQL server that can cut a connection just before or after an append. */
export interface CuttingProxy extends Omit<Link, 'lead' | 'port'> {
  /** The folder of the proxy's socket, as `host` of a connection. */
  readonly host: string
  /** Cuts the next connection that appends to the log, before or after the statement reaches the server. */
  cutNextAppend(when: 'before' | 'after'): void
  /** Forwards new connections to the server whose socket is in this folder. */
  lead(serverSocketFolder: string): void
}

/** The name of the prepared statement with which the service appends to the log. Every message that executes the statement contains it. */
const APPEND = Buffer.from('gantt-append')
const SOCKET = '.s.PGSQL.5432'

/** Listens on a Unix socket in a folder of its own, and forwards everything to the server's socket. */
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
