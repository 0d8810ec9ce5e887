import { once } from 'node:events'
import net from 'node:net'

const HOST = '127.0.0.1'
/**
 * The first of the ports to choose from. They are below the ports that systems use for outgoing connections (32768 and higher). While
 * a server is down, no outgoing connection therefore takes its port, and no client that calls the port connects to its own socket.
 */
const FIRST = 20_000
const LAST = 31_999
const TRIES = 1_000

/** Free ports of the loopback interface that are not in `except`. Throws if there are too few. */
export async function freePorts(count: number, except: readonly number[] = []): Promise<number[]> {
  const found = new Set<number>()
  for (let tries = 0; found.size < count; tries++) {
    if (tries === TRIES) throw new Error(`no ${count} free ports were found among ${FIRST} to ${LAST} of ${HOST}`)
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1))
    if (!found.has(port) && !except.includes(port) && (await isFreePort(port))) found.add(port)
  }
  return [...found]
}

/** Returns true if a server could listen on this port of the loopback interface now. */
export async function isFreePort(port: number): Promise<boolean> {
  const server = net.createServer()
  try {
    await once(server.listen(port, HOST), 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE' || code === 'EACCES') return false
    throw error
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
