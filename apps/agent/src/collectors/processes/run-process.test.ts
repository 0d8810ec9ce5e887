import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_OUTPUT_BYTES, type Run, runProcess } from './run-process.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantt-run-'))
  chmodSync(folder, 0o777)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (script: string, change: Partial<Run> = {}) =>
  runProcess({
    ...{ file: process.execPath, args: ['-e', script], env: { PATH: '/usr/bin:/bin' }, input: '{}' },
    ...{ timeoutMs: 60_000, memoryBytes: 512 * 2 ** 20, user: undefined, conceal: (text) => text, signal: new AbortController().signal },
    ...change,
  })

const outputOf = async (script: string, change: Partial<Run> = {}): Promise<string> => {
  const ran = await run(script, change)
  if ('error' in ran) throw new Error(ran.error.text)
  return ran.output.toString('utf8')
}

const isRunning = (pid: number): boolean => {
  // a process that has ended, but that its parent has not collected yet, has the state Z
  const [, state] = existsSync(`/proc/${pid}/stat`) ? (/\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []) : []
  return state !== undefined && state !== 'Z'
}
const endsSoon = (pid: number) => expect.poll(() => isRunning(pid)).toBe(false)

/** A script that starts a process which would run for an hour, and writes its number to a file. */
const startsChild = (file: string, options: string, then: string) => `
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3_600_000)'], ${options})
  child.unref()
  require('node:fs').writeFileSync(${JSON.stringify(file)}, String(child.pid))
  ${then}`

test('a process gets its input, and its output is returned', async () => {
  expect(await outputOf("process.stdin.on('data', (text) => process.stdout.write('got ' + text))", { input: '{"a":1}' })).toBe(
    'got {"a":1}',
  )
})

test('a process that does not read its input succeeds', async () => {
  expect(await outputOf("process.stdin.destroy(); console.log('done')", { input: 'x'.repeat(1_000_000) })).toBe('done\n')
})

test('the environment of the agent, which can contain its key, is not passed on', async () => {
  process.env.GANTT_KEY = 'gantt_secret'
  try {
    const environment = JSON.parse(await outputOf('console.log(JSON.stringify(process.env))', { env: { FEED: 'a' } }))
    expect(Object.keys(environment).sort()).toEqual(['FEED', 'GANTT_COLLECTOR_RUN'])
  } finally {
    delete process.env.GANTT_KEY
  }
})

test('no shell reads the arguments', async () => {
  const script = 'console.log(process.argv[1])'
  expect(await outputOf(script, { args: ['-e', script, '$(id); `id` > x'] })).toBe('$(id); `id` > x\n')
})

describe('a process that misbehaves is ended, and the error names what it did', () => {
  test.each<[string, string, Partial<Run>, string, RegExp]>([
    ['hangs', 'setInterval(() => {}, 1_000)', { timeoutMs: 300 }, 'TIME_LIMIT', /^it did not end within 0.3 s$/],
    [
      'ignores SIGTERM and hangs',
      "process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)",
      { timeoutMs: 500 },
      'TIME_LIMIT',
      /did not end/,
    ],
    [
      'prints 100 MB',
      "const mib = 'x'.repeat(1_048_576); const print = (left) => left > 0 && process.stdout.write(mib, () => print(left - 1)); print(100)",
      {},
      'OUTPUT_LIMIT',
      /^it printed more than 1048576 bytes$/,
    ],
    [
      'prints 100 MB on its standard error',
      "const mib = 'x'.repeat(1_048_576); const print = (left) => left > 0 && process.stderr.write(mib, () => print(left - 1)); print(100)",
      {},
      'OUTPUT_LIMIT',
      /standard error/,
    ],
    [
      'uses too much memory',
      'const all = []; setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)',
      { memoryBytes: 128 * 2 ** 20 },
      'MEMORY_LIMIT',
      /^it used \d+ MiB of memory, and may use 128$/,
    ],
    [
      'has a child that uses too much memory',
      `const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)'
       require('node:child_process').spawnSync(process.execPath, ['-e', script])`,
      { memoryBytes: 160 * 2 ** 20 },
      'MEMORY_LIMIT',
      /of memory/,
    ],
    ['ends with an error', "console.error('no\\nfeed'); process.exit(3)", {}, 'CRASHED', /^it ended with code 3 after \d+ ms: no feed$/],
    ['is ended by a signal', "process.kill(process.pid, 'SIGSEGV')", {}, 'CRASHED', /^it was ended by SIGSEGV/],
  ])('%s', async (_name, script, change, code, text) => {
    expect(await run(script, change)).toEqual({ error: { code, text: expect.stringMatching(text) } })
  })

  test('its long error message is cut at the beginning', async () => {
    const ran = await run("console.error('x'.repeat(5_000) + ' the end'); process.exit(1)")
    expect('error' in ran && ran.error.text).toMatch(/: \.\.\.x+ the end$/)
    expect('error' in ran && ran.error.text.length).toBeLessThan(400)
  })

  test('a program that does not exist', async () => {
    expect(await run('', { file: '/no/such/program' })).toEqual({
      error: { code: 'START', text: '/no/such/program cannot be started: ENOENT' },
    })
  })

  test('output of exactly the limit is taken', async () => {
    expect((await outputOf(`process.stdout.write('x'.repeat(${MAX_OUTPUT_BYTES}))`)).length).toBe(MAX_OUTPUT_BYTES)
  })
})

describe('nothing of a run remains', () => {
  test.each([
    ['a child of its process group', "{ stdio: 'ignore' }"],
    ['a child that it detached', "{ stdio: 'ignore', detached: true }"],
    ['a child that holds its output open', "{ stdio: ['ignore', 'inherit', 'inherit'], detached: true }"],
  ])('%s, if it ends well', async (name, options) => {
    const file = path.join(folder, name.replaceAll(' ', '-'))
    expect(await outputOf(startsChild(file, options, "console.log('done')"))).toBe('done\n')
    await endsSoon(Number(readFileSync(file, 'utf8')))
  })

  test('a child that it detached, if it hangs and is ended', async () => {
    const stop = new AbortController()
    const file = path.join(folder, 'hanging')
    const script = startsChild(file, "{ stdio: 'inherit', detached: true }", 'setInterval(() => {}, 1_000)')
    const running = run(script, { signal: stop.signal })
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
    stop.abort()
    await running
    await endsSoon(Number(readFileSync(file, 'utf8')))
  })

  test('the process, if the agent stops', async () => {
    const stop = new AbortController()
    const file = path.join(folder, 'stopped')
    const running = run(`require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1_000)`, {
      signal: stop.signal,
    })
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
    stop.abort()
    expect(await running).toMatchObject({ error: { text: 'the agent stopped' } })
    await endsSoon(Number(readFileSync(file, 'utf8')))
  })
})

test('a process runs as the user of the settings', async (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root may run a process as another user')
  const script = 'console.log(process.getuid(), process.getgid(), process.getgroups().join())'
  expect(await outputOf(script, { user: { name: 'nobody', uid: 65_534, gid: 65_534 } })).toMatch(/^65534 65534 (65534)?\n$/)
})

test('the measurement of memory does not count other processes', async () => {
  const script = 'const kept = Buffer.alloc(64 * 1_048_576, 1); setTimeout(() => console.log(kept.length), 1_000)'
  const [one, other] = await Promise.all([run(script, { memoryBytes: 200 * 2 ** 20 }), run(script, { memoryBytes: 200 * 2 ** 20 })])
  expect([one, other].map((ran) => 'output' in ran)).toEqual([true, true])
})
