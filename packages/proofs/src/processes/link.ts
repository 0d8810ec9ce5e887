import net from 'node:net'

/** A proxy in front of a server that can cut connections, slow them down, and hold back all data. */
export interface Link {
  /** Forwards new connections to this address from now on. */
  lead(to: net.NetConnectOpts): void
  /** Cuts every connection. */
  sever(): void
  /** Accepts new connections or, if false, ends them at once. */
  setOpen(isOpen: boolean): void
  /** Sets the delay of each chunk of data in both directions, in milliseconds. */
  setDelay(ms: number): void
  /** While the link is silent, no data arrives and no connection ends. Data that was sent meanwhile arrives afterwards, as on a network. */
  setSilent(isSilent: boolean): void
  /** The count of connections that were cut. */
  readonly cuts: number
  /** The count of bytes that the server has sent. */
  readonly received: number
  /** The TCP port on which the link listens. Undefined if it listens on a Unix socket. */
  readonly port: number | undefined
  close(): Promise<void>
}

/**
 * Decides for a chunk of data from a client whether the connection is cut: before the chunk is forwarded, after the server's answer to it,
 * or not at all.
 */
export type CutRule = (chunk: Buffer) => 'before' | 'after' | undefined

/** Listens, and forwards everything to `to`. */
export async function startLink(listen: net.ListenOptions, to: net.NetConnectOpts, cutAt: CutRule = () => undefined): Promise<Link> {
  let target = to
  let isOpen = true
  let delayMs = 0
  let cuts = 0
  let received = 0
  let silence: { readonly over: Promise<void>; end(): void } | undefined
  const open = new Set<net.Socket>()

  /** Resolves when a chunk of data that has just arrived may be forwarded: after the delay, and after the end of a silence. */
  const passage = async (): Promise<void> => {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    while (silence !== undefined) await silence.over
  }
  const isDirect = (): boolean => delayMs === 0 && silence === undefined

  const server = net.createServer((client) => {
    if (!isOpen) return void client.destroy()
    const upstream = net.connect(target)
    open.add(client).add(upstream)
    const destroy = (): void => {
      for (const socket of [client, upstream]) {
        open.delete(socket)
        socket.destroy()
      }
    }
    let isCut = false
    const pass = (from: net.Socket, each: (chunk: Buffer) => void): void => {
      let waiting = 0
      let last = Promise.resolve()
      const queue = (act: () => void): void => {
        if (waiting === 0 && isDirect()) {
          act()
          return
        }
        waiting++
        const arrives = passage()
        last = last
          .then(() => arrives)
          .then(() => {
            waiting--
            act()
          })
      }
      from.on('data', (chunk) => queue(() => each(chunk as Buffer)))
      // An error needs no handling here, because `close` follows and ends the other connection too.
      from.on('error', () => undefined)
      from.on('close', () => queue(destroy))
    }
    pass(client, (chunk) => {
      if (upstream.destroyed || isCut) return
      const when = cutAt(chunk)
      if (when === undefined) return void upstream.write(chunk)
      cuts++
      isCut = true
      if (when === 'before') destroy()
      // The server receives the chunk and executes it; only its answer is lost.
      else upstream.write(chunk, () => upstream.once('data', destroy))
    })
    pass(upstream, (chunk) => {
      received += chunk.length
      if (!isCut && !client.destroyed) client.write(chunk)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(listen, resolve))

  const addressed = server.address()
  const link: Link = {
    lead(next) {
      target = next
    },
    sever() {
      cuts += open.size / 2
      for (const socket of open) socket.destroy()
    },
    setOpen(next) {
      isOpen = next
    },
    setDelay(ms) {
      delayMs = ms
    },
    setSilent(isSilent) {
      if (isSilent === (silence !== undefined)) return
      const before = silence
      silence = isSilent ? endable() : undefined
      before?.end()
    },
    get cuts() {
      return cuts
    },
    get received() {
      return received
    },
    port: addressed !== null && typeof addressed === 'object' ? addressed.port : undefined,
    async close() {
      link.setSilent(false)
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return link
}

function endable() {
  let end = (): void => {}
  const over = new Promise<void>((resolve) => {
    end = resolve
  })
  return { over, end: () => end() }
}
