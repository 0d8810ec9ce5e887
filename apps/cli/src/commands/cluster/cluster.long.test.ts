import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { createClient } from '@gantt/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM } from '../../program.ts'
import { reportFleet } from '../../testing/fleet.ts'
import { gantt } from '../../testing/gantt.ts'
import { birthOf } from './birth.ts'

/** These tests run PostgreSQL and check refusals. docs/tests/cluster.test.ts covers NATS with the commands of docs/cluster.md. */

let root: string
/** A path that contains a space and is too long for a Unix socket. */
let dir: string
const environment: Record<string, string> = {}

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-cluster-'))
  fs.chmodSync(root, 0o711)
  dir = path.join(root, 'a folder', ...Array.from({ length: 8 }, (_, i) => `deep-folder-${i}`))
  Object.assign(environment, { PATH: process.env.PATH ?? '', HOME: root })
})

afterAll(async () => {
  // A failed test may have left processes running.
  if (fs.existsSync(path.join(dir, 'cluster.json'))) await cluster('down', '--purge', '--dir', dir)
  fs.rmSync(root, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs `gantt cluster ...` in a separate process. */
async function cluster(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, 'cluster', ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const [code] = await once(child, 'close')
  return { code, ...output }
}

interface Status {
  readonly engine: string
  readonly key: string
  readonly processes: readonly { readonly name: string; readonly where: string; readonly pid: number | null; readonly isHealthy: boolean }[]
}

async function statusAfter(...args: readonly string[]): Promise<Status> {
  const { out, err } = await cluster(...args, '--dir', dir, '--json')
  if (out === '') throw new Error(err)
  return JSON.parse(out)
}

const isListening = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const SELECT = `mutation Select($key: String!) {
  selectDestinations(input: { idempotencyKey: $key, spec: { gantt: { flavor: { vcpus: 1, memoryMb: 512 } } } }) { __typename }
}`
const CLAIMS = 'query Claims { claims(first: 100) { edges { node { id } } } }'

test('after kill -9 of one of two replicas, the other still places instances; `up` restarts the first, and `down` ends all', async () => {
  const { engine, key, processes } = await statusAfter('up', '--engine', 'postgres', '--replicas', '2')
  expect(engine).toBe('postgres')
  expect(processes.map(({ name, isHealthy }) => [name, isHealthy])).toEqual([
    ['replica-1', true],
    ['replica-2', true],
    ['postgres', true],
  ])
  const clients = processes
    .filter(({ where }) => where.startsWith('http:'))
    .map(({ where }) => createClient({ url: `${where}/graphql`, key, deadlineMs: 60_000 }))
  const place = (at: number, call: string): Promise<unknown> => clients[at]?.request(SELECT, { key: call }) ?? Promise.reject()
  const placed = { selectDestinations: { __typename: 'SelectDestinationsPayload' } }
  await reportFleet(clients[0] as (typeof clients)[number])
  expect(await place(0, 'first')).toEqual(placed)
  expect(await place(1, 'second')).toEqual(placed)

  process.kill(processes[0]?.pid ?? 0, 'SIGKILL')
  expect(await place(1, 'third')).toEqual(placed)
  // the same call, repeated at another replica, returns the same claim
  expect(await place(1, 'first')).toEqual(placed)
  expect((await statusAfter('status')).processes.map(({ name, pid, isHealthy }) => [name, pid !== null, isHealthy])).toEqual([
    ['replica-1', false, false],
    ['replica-2', true, true],
    ['postgres', true, true],
  ])
  const again = await statusAfter('up')
  expect(again.processes.map(({ where }) => where)).toEqual(processes.map(({ where }) => where))
  const { claims } = await (clients[0]?.request<{ claims: { edges: readonly unknown[] } }>(CLAIMS) ?? Promise.reject())
  expect(claims.edges).toHaveLength(3)

  for (const [args, message] of [
    [['up'], 'already run'],
    [['up', '--engine', 'nats'], 'keeps its log in PostgreSQL, not in NATS; choose another folder with --dir'],
    [['up', '--replicas', '1'], 'take it down before it gets fewer replicas'],
    [['kill', 'replica-7'], 'has no process "replica-7"; it has postgres, replica-1, replica-2'],
    [['kill', 'leader'], 'PostgreSQL keeps its log'],
  ] as const) {
    const { code, err } = await gantt({}, 'cluster', ...args, '--dir', dir)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
  }

  const { code, out } = await cluster('down', '--dir', dir)
  expect([code, out]).toEqual([0, expect.stringContaining('3 processes were stopped')])
  for (const { where } of processes.filter((each) => each.where.startsWith('http:'))) expect(await isListening(where)).toBe(false)
  for (const { name, pid } of again.processes) expect(birthOf(pid ?? 0), name).toBeUndefined()
  // the pid file of a process that ran before the machine was rebooted, such as a power failure leaves behind
  fs.writeFileSync(path.join(dir, 'replica-1.pid'), `${process.pid} of another life\n`)
  expect((await statusAfter('status')).processes.every(({ pid }) => pid === null)).toBe(true)
  expect((await cluster('down', '--purge', '--dir', dir)).code).toBe(0)
  expect(fs.existsSync(dir)).toBe(false)
})

test('an impossible command is refused with an error that states the cause and the remedy, and nothing is started', async () => {
  const taken = net.createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as net.AddressInfo
  const foreign = path.join(root, 'foreign')
  fs.mkdirSync(foreign)
  fs.writeFileSync(path.join(foreign, 'thesis.txt'), 'mine')
  fs.writeFileSync(path.join(root, 'file'), '')
  const other = path.join(root, 'other')
  try {
    const rows: readonly (readonly [args: readonly string[], code: number, message: string])[] = [
      [['up', '--engine', 'postgres', '--port', String(port), '--dir', other], 1, `port ${port}, of replica-1, is taken`],
      [['up', '--replicas', '0'], 2, 'must be a whole number of 1 to 9'],
      [['up', '--replicas', '10'], 2, 'must be a whole number of 1 to 9'],
      [['up', '--engine', 'kafka'], 2, 'Allowed choices are nats, postgres'],
      [['up', '--port', '65535', '--dir', other], 1, 'choose a lower one with --port'],
      [['up', '--dir', foreign], 1, 'holds "thesis.txt", which does not belong to a cluster'],
      [['up', '--dir', path.join(root, 'file')], 1, 'cannot be written'],
      [['status', '--dir', other], 1, 'there is no cluster in'],
      [['down', '--dir', other], 1, 'there is no cluster in'],
    ]
    for (const [args, code, message] of rows) {
      const ended = await gantt({}, 'cluster', ...args)
      expect([args, ended.code, ended.err]).toEqual([args, code, expect.stringContaining(message)])
    }
    const nowhere = { NATS_SERVER_PATH: '/nowhere/nats-server' }
    const { code, err } = await gantt(nowhere, 'cluster', 'up', '--engine', 'nats', '--dir', other)
    expect([code, err]).toEqual([1, expect.stringContaining('apt-get install nats-server')])
    expect(err).toContain('--engine postgres')
    expect(fs.readdirSync(foreign)).toEqual(['thesis.txt'])
    expect(fs.readdirSync(other)).toEqual([])
  } finally {
    taken.close()
  }
})

test('an invalid plan file is reported and left unchanged', async () => {
  const broken = path.join(root, 'broken')
  fs.mkdirSync(broken)
  fs.writeFileSync(path.join(broken, 'cluster.json'), '{"engine": "nats"}')
  const { code, err } = await gantt({}, 'cluster', 'up', '--dir', broken)
  expect([code, err]).toEqual([1, expect.stringContaining('is not the plan of a cluster')])
  expect(fs.readFileSync(path.join(broken, 'cluster.json'), 'utf8')).toBe('{"engine": "nats"}')
})

test('Ctrl-C stops every process of a cluster in the foreground', async () => {
  const front = path.join(root, 'front')
  const child = spawn(
    process.execPath,
    [PROGRAM, 'cluster', 'up', '--engine', 'postgres', '--replicas', '1', '--foreground', '--dir', front],
    {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text
  })
  const closed = once(child, 'close')
  await expect.poll(() => out).toContain('cluster down')
  child.kill('SIGINT')
  expect((await closed)[0]).toBe(0)
  expect(out).toContain('The whole cluster is stopped.')
  const { out: after } = await cluster('status', '--dir', front, '--json')
  expect((JSON.parse(after) as Status).processes.every(({ pid }) => pid === null)).toBe(true)
})
