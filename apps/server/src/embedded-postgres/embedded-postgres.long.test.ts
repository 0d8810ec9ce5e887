import { type ChildProcess, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { sendSignal } from '../testing/send-signal.ts'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './index.ts'

/** Most tests share one database, because creating one takes one to two seconds. Tests of the first start use separate folders. */
let shared: string
let own: string
let stateDir: string
const running: EmbeddedPostgres[] = []
const owners: ChildProcess[] = []

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-embedded-'))
  fs.chmodSync(folder, 0o711)
  return folder
}

beforeAll(() => {
  shared = makeFolder()
})

beforeEach(() => {
  own = makeFolder()
  stateDir = path.join(shared, 'state')
})

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
  for (const owner of owners.splice(0)) {
    owner.kill('SIGKILL')
    const left = await start()
    await left.stop()
  }
  running.splice(0)
  fs.rmSync(own, { recursive: true, force: true })
})

afterAll(() => fs.rmSync(shared, { recursive: true, force: true }))

async function start(options: EmbeddedPostgresOptions = {}): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ stateDir, timeoutMs: 300_000, ...options })
  running.push(server)
  return server
}

async function query(server: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client(server.connection())
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function isAlive(pid: number | undefined): boolean {
  return pid !== undefined && fs.existsSync(`/proc/${pid}/cwd`)
}

function childrenOf(pid: number): number[] {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

function killServer(pid: number): void {
  sendSignal([pid, ...childrenOf(pid)], 'SIGKILL')
}

test('the first process creates the database, a second one joins it, and the last one to leave stops it', async () => {
  stateDir = path.join(own, 'state')
  const first = await start()
  expect(first).toMatchObject({ mode: 'started', created: true, owners: 1 })
  const second = await start()
  expect(second).toMatchObject({ mode: 'attached', created: false, owners: 2, pid: first.pid })

  expect(await first.stop()).toBe('left')
  expect(isAlive(second.pid)).toBe(true)
  expect(await second.stop()).toBe('stopped')
  expect(await second.stop()).toBe('stopped')
  expect(isAlive(second.pid)).toBe(false)
})

test('the server listens only on a private socket, and sorts by code point', async () => {
  const server = await start()
  expect(await query(server, `SELECT current_setting('listen_addresses') AS tcp, lower('ÄÉ') AS lower, 'a' < 'B' AS human`)).toEqual([
    { tcp: '', lower: 'äé', human: false },
  ])
  const { host } = server.connection()
  expect(fs.statSync(host).mode & 0o777).toBe(0o700)
  const client = new pg.Client({ connectionString: server.url() })
  await client.connect()
  await client.end()
})

test('processes that start together share one server', async () => {
  stateDir = path.join(own, 'state')
  const servers = await Promise.all([start(), start(), start()])
  expect(servers.filter(({ mode }) => mode === 'started')).toHaveLength(1)
  expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1)
})

test('of four processes that start together and need the server exclusively, exactly one gets it, and a process without this need can join', async () => {
  const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => start({ alone: true })))
  const refused = attempts.filter((attempt) => attempt.status === 'rejected')
  expect(refused.map(({ reason }) => reason.code)).toEqual(['postgres.in_use', 'postgres.in_use', 'postgres.in_use'])
  await start()
  await expect(start({ alone: true })).rejects.toMatchObject({ code: 'postgres.in_use' })
})

test('a process that needs the server exclusively is refused if the server is in use', async () => {
  await start()
  await expect(start({ alone: true })).rejects.toMatchObject({ code: 'postgres.in_use' })
})

test('a killed server is reported, and its data exists after the next start', async () => {
  let lost = 0
  const server = await start({ onLost: () => lost++ })
  await query(server, 'CREATE TABLE one_row AS SELECT 42 AS answer')
  killServer(server.pid ?? 0)

  const again = await start()
  expect(again.mode).toBe('started')
  expect(await query(again, 'SELECT answer FROM one_row')).toEqual([{ answer: 42 }])
  expect(lost).toBe(1)
  expect(await server.stop()).toBe('gone')
})

test('stale lock files with the process id of another process are replaced', async () => {
  const server = await start()
  const data = path.join(stateDir, 'data')
  const { host } = server.connection()
  await server.stop()
  for (const file of [path.join(data, 'postmaster.pid'), path.join(host, '.s.PGSQL.5432.lock')])
    fs.writeFileSync(file, `${process.pid}\n${data}\n`)
  expect((await start()).mode).toBe('started')
})

test('a state directory that is a symbolic link works', async () => {
  fs.symlinkSync(stateDir, path.join(own, 'link'))
  const first = await start()
  const second = await start({ stateDir: path.join(own, 'link') })
  expect(second.pid).toBe(first.pid)
})

test('a state directory works even if its path is too long for a socket', async () => {
  const deep = path.join(own, ...Array.from({ length: 12 }, (_, index) => `a-long-folder-name-${index}`))
  const server = await start({ stateDir: deep })
  const { host } = server.connection()
  expect(host.startsWith(deep)).toBe(false)
  expect(await query(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  await server.stop()
  fs.rmSync(host, { recursive: true })
})

test.each([
  ['a file', (folder: string) => fs.writeFileSync(folder, ''), 'cannot be used as a folder: it is a file, is inside of one'],
  [
    'a folder with other data than a database',
    (folder: string) => fs.mkdirSync(path.join(folder, 'data'), { recursive: true }),
    'contains no database',
  ],
])('%s in place of the state directory is refused without changes, and the error names the setting', async (_what, make, message) => {
  const foreign = path.join(own, `foreign-${message.length}`)
  make(foreign)
  const before = fs.statSync(foreign).isDirectory() ? fs.readdirSync(foreign) : 'a file'
  await expect(start({ stateDir: foreign })).rejects.toMatchObject({
    code: 'postgres.state_dir_foreign',
    message: expect.stringMatching(new RegExp(`${message}.*GANTT_DATA_DIR`)),
  })
  expect(fs.statSync(foreign).isDirectory() ? fs.readdirSync(foreign) : 'a file').toEqual(before)
})

test('a state directory in which no folder can be created is refused without endless retries', async () => {
  await expect(start({ stateDir: '/proc/nothing/here' })).rejects.toMatchObject({
    code: 'postgres.state_dir_foreign',
    message: expect.stringContaining('GANTT_DATA_DIR'),
  })
})

test('a database of another major version is refused and not changed', async () => {
  await (await start()).stop()
  const file = path.join(stateDir, 'data', 'PG_VERSION')
  const before = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, '17\n')
  await expect(start()).rejects.toMatchObject({ code: 'postgres.wrong_version' })
  fs.writeFileSync(file, before)
  expect((await start()).mode).toBe('started')
})

test('a wrong password is reported, and no server keeps running', async () => {
  await (await start()).stop()
  const file = path.join(stateDir, 'data', 'gantt.password')
  const before = fs.readFileSync(file, 'utf8')
  fs.writeFileSync(file, 'wrong')
  await expect(start()).rejects.toMatchObject({ code: 'postgres.wrong_password' })
  await expect.poll(() => fs.existsSync(path.join(stateDir, 'data', 'postmaster.pid'))).toBe(false)
  fs.writeFileSync(file, before)
})

test('a setting that PostgreSQL refuses is reported with the end of its log', async () => {
  await expect(start({ settings: { max_connections: 'many' } })).rejects.toMatchObject({
    code: 'postgres.start_failed',
    message: expect.stringContaining('max_connections'),
  })
})

/** The program of a separate service process, which tests can kill. */
let program: string
const cache = fileURLToPath(new URL('../../node_modules/.cache/gantt-test', import.meta.url))

beforeAll(async () => {
  program = path.join(cache, `owner-${process.pid}.mjs`)
  await build({
    stdin: {
      contents: `import { startEmbeddedPostgres } from './index.ts'
        const server = await startEmbeddedPostgres({ stateDir: process.argv[2] })
        process.on('SIGTERM', async () => { await server.stop(); process.exit(0) })
        process.send({ pid: server.pid, mode: server.mode })`,
      resolveDir: path.dirname(fileURLToPath(import.meta.url)),
      loader: 'ts',
    },
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', outfile: program, logLevel: 'error' },
  })
})

afterAll(() => fs.rmSync(program, { force: true }))

async function startOwner(): Promise<{ owner: ChildProcess; pid: number; mode: string }> {
  const owner = spawn(process.execPath, [program, stateDir], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  owners.push(owner)
  const message = await new Promise<{ pid: number; mode: string }>((resolve, reject) => {
    owner.once('message', (sent) => resolve(sent as { pid: number; mode: string }))
    owner.once('exit', (code) => reject(new Error(`the owner ended with ${code}`)))
  })
  return { owner, ...message }
}

test('the server of a killed service is adopted, and stops with its new owner', async () => {
  const { owner, pid } = await startOwner()
  owner.kill('SIGKILL')
  await sleep(100)
  expect(isAlive(pid)).toBe(true)
  const server = await start()
  expect(server).toMatchObject({ mode: 'adopted', owners: 1, pid })
  expect(await server.stop()).toBe('stopped')
})

test('acknowledged rows survive when service and server are killed', async () => {
  const { owner, pid } = await startOwner()
  const guest = await start()
  await query(guest, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS n')
  owner.kill('SIGKILL')
  killServer(pid)
  const again = await start()
  expect(again.mode).toBe('started')
  expect(await query(again, 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 1000 }])
})

test('a service that is shut down in an orderly way stops its server', async () => {
  const { owner, pid, mode } = await startOwner()
  expect(mode).toBe('started')
  owner.kill('SIGTERM')
  await new Promise((resolve) => owner.once('exit', resolve))
  expect(isAlive(pid)).toBe(false)
})
