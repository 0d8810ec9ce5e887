import { once } from 'node:events'
import net from 'node:net'

/** A proxy in front of a server. It can slow down the server's answers. */
export interface SlowLink {
  readonly port: number
  /** From now on answers are forwarded at this rate, in bytes per second. */
  slowTo(bytesPerSecond: number): void
  close(): Promise<void>
}

/** Listens on a free port, and forwards everything to another port of this machine. */
export async function startSlowLink(to: number): Promise<SlowLink> {
  let bytesPerMs = Number.POSITIVE_INFINITY
  const sockets = new Set<net.Socket>()
  const server = net.createServer((client) => {
    const upstream = net.connect(to, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
    client.pipe(upstream)
    upstream.on('data', (data) => {
      client.write(data)
      if (bytesPerMs === Number.POSITIVE_INFINITY) return
      upstream.pause()
      setTimeout(() => upstream.resume(), data.length / bytesPerMs)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as net.AddressInfo).port,
    slowTo(bytesPerSecond) {
      bytesPerMs = bytesPerSecond / 1_000
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
