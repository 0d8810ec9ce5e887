import { mkdirSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'

/** A way to a PostgreSQL server that can be cut at the worst moment. */
export interface CuttingProxy {
  /** Folder of the proxy's socket, as `host` of a connection. */
  readonly host: string
  /** Cuts the next connection that appends to the log: after the statement reached the server, or before. */
  cutNextAppend(when: 'before' | 'after'): void
  /** Cuts every connection; while it is closed, no new one is let through. */
  sever(): void
  setOpen(isOpen: boolean): void
  /** How many connections were cut. */
  readonly cuts: number
  close(): Promise<void>
}

/** The name under which the service prepares its append: seen in every message that runs it. */
const APPEND = Buffer.from('gantt-append')
const SOCKET = '.s.PGSQL.5432'

/** Listens on a Unix socket in a folder of its own and passes everything on to the server's socket. */
export async function startCuttingProxy(serverSocketFolder: string, folder: string): Promise<CuttingProxy> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let armed: 'before' | 'after' | undefined
  let cuts = 0
  let isOpen = true
  const open = new Set<net.Socket>()
  const server = net.createServer((client) => {
    if (!isOpen) return void client.destroy()
    const upstream = net.connect(path.join(serverSocketFolder, SOCKET))
    open.add(client).add(upstream)
    const end = (): void => {
      open.delete(client)
      open.delete(upstream)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
    let isCut = false
    client.on('data', (data) => {
      if (armed === undefined || !data.includes(APPEND)) {
        upstream.write(data)
        return
      }
      const when = armed
      armed = undefined
      cuts++
      isCut = true
      if (when === 'before') end()
      // the server gets the statement and commits it; only its answer is lost
      else upstream.write(data, () => upstream.once('data', end))
    })
    upstream.on('data', (data) => {
      if (!isCut) client.write(data)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path.join(folder, SOCKET), resolve))
  return {
    host: folder,
    cutNextAppend(when) {
      armed = when
    },
    sever() {
      cuts += open.size / 2
      for (const socket of open) socket.destroy()
    },
    setOpen(next) {
      isOpen = next
    },
    get cuts() {
      return cuts
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
