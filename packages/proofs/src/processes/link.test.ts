import { once } from 'node:events'
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type CutRule, type Link, startLink } from './link.ts'

const LOOPBACK = '127.0.0.1'
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Starts a server that answers each chunk of data with its own name followed by that chunk. */
async function answering(name: string): Promise<net.NetConnectOpts> {
  const server = net.createServer((socket) => {
    socket.on('data', (chunk) => socket.write(`${name} ${chunk}`)).on('error', () => undefined)
  })
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return { host: LOOPBACK, port: (server.address() as net.AddressInfo).port }
}

async function linkTo(to: net.NetConnectOpts, cutAt?: CutRule): Promise<Link> {
  const link = await startLink({ host: LOOPBACK, port: 0 }, to, cutAt)
  closing.push(() => link.close())
  return link
}

async function callerOf(link: Link) {
  const socket = net.connect({ host: LOOPBACK, port: link.port as number })
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.on('error', () => undefined)
  const ended = once(socket, 'close')
  await once(socket, 'connect')
  return { send: (text: string) => socket.write(text), heard: () => heard, ended }
}

test('a link forwards data, and connects new connections to its current target', async () => {
  const [a, b] = [await answering('a'), await answering('b')]
  const link = await linkTo(a)
  const first = await callerOf(link)
  first.send('x')
  await expect.poll(first.heard).toBe('a x')
  link.lead(b)
  const second = await callerOf(link)
  second.send('y')
  await expect.poll(second.heard).toBe('b y')
})

test('a silent link delivers no data and closes no connection, and when it is no longer silent all data arrives in order', async () => {
  const link = await linkTo(await answering('a'))
  const caller = await callerOf(link)
  caller.send('1')
  await expect.poll(caller.heard).toBe('a 1')
  link.setSilent(true)
  caller.send('2')
  // Another connection is accepted but gets no data either.
  const other = await callerOf(link)
  other.send('3')
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
  expect([caller.heard(), other.heard()]).toEqual(['a 1', ''])
  link.setSilent(false)
  await expect.poll(caller.heard).toBe('a 1a 2')
  await expect.poll(other.heard).toBe('a 3')
})

test('a delayed chunk of data arrives later, and chunks arrive in the order in which they were sent', async () => {
  const link = await linkTo(await answering('a'))
  const caller = await callerOf(link)
  link.setDelay(40)
  const sentAt = performance.now()
  caller.send('1')
  await expect.poll(caller.heard).toBe('a 1')
  expect(performance.now() - sentAt).toBeGreaterThanOrEqual(75)
  caller.send('2')
  link.setDelay(0)
  await expect.poll(caller.heard).toBe('a 1a 2')
})

test('severed connections end, and while the link is closed new connections end at once', async () => {
  const link = await linkTo(await answering('a'))
  const caller = await callerOf(link)
  caller.send('1')
  await expect.poll(caller.heard).toBe('a 1')
  link.sever()
  await caller.ended
  expect(link.cuts).toBe(1)
  link.setOpen(false)
  const refused = await callerOf(link)
  await refused.ended
  link.setOpen(true)
  const again = await callerOf(link)
  again.send('2')
  await expect.poll(again.heard).toBe('a 2')
})

test('a cut rule ends the connection before a chunk is forwarded, or before its answer arrives', async () => {
  const got: string[] = []
  const server = net.createServer((socket) => {
    socket.on('data', (chunk) => {
      got.push(String(chunk))
      socket.write('done')
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const link = await linkTo({ host: LOOPBACK, port: (server.address() as net.AddressInfo).port }, (chunk) =>
    chunk.includes('before') ? 'before' : chunk.includes('after') ? 'after' : undefined,
  )
  for (const when of ['before', 'after']) {
    const caller = await callerOf(link)
    caller.send(when)
    await caller.ended
    expect(caller.heard()).toBe('')
  }
  expect(got).toEqual(['after'])
})
