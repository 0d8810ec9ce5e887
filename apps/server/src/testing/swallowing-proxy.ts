import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'

/** A proxy in front of a PostgreSQL server that can lose data without notifying either side. */
export interface SwallowingProxy {
  /** The folder of the proxy's socket, for `host` of a connection. */
  readonly host: string
  /** From the next statement with this text on, the proxy forwards no answers on the connection of that statement. */
  swallowAnswersFrom(text: string): void
  /** Pauses all connections or lets them continue. A paused proxy forwards nothing, and loses nothing. */
  stall(isStalled: boolean): void
  /** How many connections have lost data. */
  readonly swallowed: number
  close(): Promise<void>
}

const SOCKET = '.s.PGSQL.5432'

/** Listens in a given folder and forwards everything to the server's socket. */
export async function startSwallowingProxy(serverSocketFolder: string, folder: string): Promise<SwallowingProxy> {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const open = new Set<net.Socket>()
  let armed: string | undefined
  let swallowed = 0
  let isStalled = false
  const pause = (...sockets: readonly net.Socket[]): void => {
    for (const socket of sockets) socket.pause()
  }
  const server = net.createServer((client) => {
    const upstream = net.connect(path.join(serverSocketFolder, SOCKET))
    let isMute = false
    const end = (): void => {
      for (const socket of [client, upstream]) {
        open.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (data) => {
      if (armed !== undefined && data.includes(armed)) {
        armed = undefined
        isMute = true
        swallowed++
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!isMute) client.write(data)
    })
    if (isStalled) pause(client, upstream)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path.join(folder, SOCKET), resolve))
  return {
    host: folder,
    swallowAnswersFrom(text) {
      armed = text
    },
    stall(wanted) {
      isStalled = wanted
      if (wanted) pause(...open)
      else for (const socket of open) socket.resume()
    },
    get swallowed() {
      return swallowed
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
