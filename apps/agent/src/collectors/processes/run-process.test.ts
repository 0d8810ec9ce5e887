import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { collectorProcesses } from '../../../../../testing/collector-processes.ts'
import { endSoon, outputOf, PID_NAMESPACE, runningWith, runsIn, SEARCH, startsChild, USER_NAMESPACE } from '../../testing/runs.ts'
import { hasEnded, readProcess } from './proc.ts'
import { MAX_OUTPUT_BYTES, type Run } from './run-process.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'gantt-run-'))
  chmodSync(folder, 0o777)
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  expect(collectorProcesses()).toEqual([])
})

for (const { name, containment, isSkipped } of [SEARCH, PID_NAMESPACE, USER_NAMESPACE])
  describe.skipIf(isSkipped)(name, () => {
    const run = runsIn(containment)
    test('a process gets its input, and its output is returned', async () => {
      expect(await outputOf(run("process.stdin.on('data', (text) => process.stdout.write('got ' + text))", { input: '{"a":1}' }))).toBe(
        'got {"a":1}',
      )
    })

    test('a process that does not read its input succeeds', async () => {
      expect(await outputOf(run("process.stdin.destroy(); console.log('done')", { input: 'x'.repeat(1_000_000) }))).toBe('done\n')
    })

    test('the environment of the agent, which can contain its key, is not passed on', async () => {
      process.env.GANTT_KEY = 'gantt_secret'
      try {
        const environment = JSON.parse(await outputOf(run('console.log(JSON.stringify(process.env))', { env: { FEED: 'a' } })))
        // a shell starts the program in a namespace, and sets variables of its own
        const names = Object.keys(environment).filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
        expect(names.sort()).toEqual(['FEED', 'GANTT_COLLECTOR_RUN'])
      } finally {
        delete process.env.GANTT_KEY
      }
    })

    test('no shell reads the arguments', async () => {
      const script = 'console.log(process.argv[1])'
      expect(await outputOf(run(script, { args: ['-e', script, '$(id); `id` > x'] }))).toBe('$(id); `id` > x\n')
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
          /^it used more than 128 MiB of memory$/,
        ],
        [
          'has a child that uses too much memory',
          `const script = 'const all = []; setInterval(() => all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)'
       require('node:child_process').spawnSync(process.execPath, ['-e', script])`,
          { memoryBytes: 160 * 2 ** 20 },
          'MEMORY_LIMIT',
          /of memory/,
        ],
        [
          'has a descendant that detached itself and uses too much memory',
          `const { spawn } = require('node:child_process')
       const greedy = 'const all = []; setInterval(() => all.length < 32 && all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)'
       const leave = "require('node:child_process').spawn(process.execPath, ['-e', process.env.GREEDY], { detached: true, stdio: 'ignore' }).unref()"
       spawn(process.execPath, ['-e', leave], { detached: true, stdio: 'ignore', env: { ...process.env, GREEDY: greedy } })
       setInterval(() => {}, 1_000)`,
          { memoryBytes: 256 * 2 ** 20 },
          'MEMORY_LIMIT',
          /^it used more than 256 MiB of memory$/,
        ],
        ['ends with an error', "console.error('no\\nfeed'); process.exit(3)", {}, 'CRASHED', /^it ended with code 3: no feed$/],
        [
          'is ended by a signal',
          "process.kill(process.pid, 'SIGSEGV')",
          {},
          'CRASHED',
          /^it (was ended by SIGSEGV|ended with code 139 \(SIGSEGV\))/,
        ],
      ])('%s', async (_name, script, change, code, text) => {
        expect(await run(script, change)).toEqual({ error: { code, text: expect.stringMatching(text) } })
      })

      test('its error message has no secret, even if the secret is cut', async () => {
        const conceal = (text: string): string => text.replaceAll('hunter2', '[hidden]')
        const script = `console.error('hunter2' + 'x'.repeat(296)); process.exit(1)`
        expect(await run(script, { conceal })).toMatchObject({ error: { text: expect.stringMatching(/^(?!.*ter2).*den\]x+$/) } })
      })

      test('its error message has no invisible characters', async () => {
        const ran = await run("console.error('\\u001b[31mno\\u202e\\u3164feed\\u0000'); process.exit(1)")
        expect(ran).toMatchObject({ error: { text: expect.stringMatching(/: \\u\{1b\}\[31mno\\u\{202e\}\\u\{3164\}feed\\u\{0\}$/) } })
      })

      test('its long error message is cut at the beginning', async () => {
        const ran = await run("console.error('x'.repeat(5_000) + ' the end'); process.exit(1)")
        expect('error' in ran && ran.error.text).toMatch(/: \.\.\.x+ the end$/)
        expect('error' in ran && ran.error.text.length).toBeLessThan(400)
      })

      test('a program that does not exist', async () => {
        expect(await run('', { file: '/no/such/program' })).toEqual({
          error: { code: 'START', text: expect.stringMatching(/^\/no\/such\/program cannot be started: (ENOENT|[Nn]o.*|not found)$/) },
        })
      })

      test('output of exactly the limit is taken', async () => {
        expect((await outputOf(run(`process.stdout.write('x'.repeat(${MAX_OUTPUT_BYTES}))`))).length).toBe(MAX_OUTPUT_BYTES)
      })
    })

    describe('nothing of a run remains', () => {
      test.each([
        ['a child of its process group', "{ stdio: 'ignore' }"],
        ['a child that it detached', "{ stdio: 'ignore', detached: true }"],
        ['a child that holds its output open', "{ stdio: ['ignore', 'inherit', 'inherit'], detached: true }"],
      ])('%s, if it ends well', async (name, options) => {
        const file = path.join(folder, name.replaceAll(' ', '-'))
        expect(await outputOf(run(startsChild(file, options, "console.log('done')")))).toBe('done\n')
        await endSoon(file)
      })

      test('a child that it detached, if it hangs and is ended', async () => {
        const stop = new AbortController()
        const file = path.join(folder, 'hanging')
        const script = startsChild(file, "{ stdio: 'inherit', detached: true }", 'setInterval(() => {}, 1_000)')
        const running = run(script, { signal: stop.signal })
        await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
        stop.abort()
        await running
        await endSoon(file)
      })

      test('the process, if the agent stops', async () => {
        const stop = new AbortController()
        const file = path.join(folder, 'stopped')
        const running = run(
          `require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1_000)`,
          {
            signal: stop.signal,
          },
        )
        await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '').toBe(true)
        stop.abort()
        expect(await running).toMatchObject({ error: { text: 'the agent stopped' } })
        await endSoon(file)
      })
    })

    test('processes of which each starts the next one and ends are ended', async () => {
      const file = path.join(mkdtempSync(path.join(folder, 'chain-')), 'chain')
      // each one leads a session of its own; the last of them ends by itself if the run does not end it
      const next = `setsid /bin/sh ${file} $(($1 - 1)) < /dev/null > /dev/null 2>&1 &`
      writeFileSync(file, `test $1 -gt 0 || exit 0\nsleep 0.005\n${next}\nsleep 0.001\n`)
      for (let runs = 0; runs < 5; runs++) {
        expect(await outputOf(run('', { file: '/bin/sh', args: [file, '2000'] }))).toBe('')
        expect(await runningWith(file)).toEqual([])
      }
    })

    test('a process runs as the user of the settings', async (context) => {
      if (process.getuid?.() !== 0) return context.skip('only root may run a process as another user')
      if (containment === USER_NAMESPACE.containment) return context.skip('an agent without capabilities may not change the user')
      const script = 'console.log(process.getuid(), process.getgid(), process.getgroups().join())'
      expect(await outputOf(run(script, { user: { name: 'nobody', uid: 65_534, gid: 65_534 } }))).toMatch(/^65534 65534 (65534)?\n$/)
    })

    test('the measurement of memory does not count other processes', async () => {
      const script = 'const kept = Buffer.alloc(64 * 1_048_576, 1); setTimeout(() => console.log(kept.length), 1_000)'
      const [one, other] = await Promise.all([run(script, { memoryBytes: 200 * 2 ** 20 }), run(script, { memoryBytes: 200 * 2 ** 20 })])
      expect([one, other].map((ran) => 'output' in ran)).toEqual([true, true])
    })
  })

const run = runsIn(SEARCH.containment)
describe('a process that cannot be ended', () => {
  const HANGS = 'setInterval(() => {}, 1_000)'
  const other = { name: 'daemon', uid: 1, gid: 1 }

  /** As another user, this process may not end the processes of `other`: so it is like a process in the state D. */
  async function withoutPower<Result>(work: () => Promise<Result>): Promise<Result> {
    process.seteuid?.(65_534)
    try {
      return await work()
    } finally {
      process.seteuid?.(0)
    }
  }
  const isRunning = (pid: number): boolean => {
    const found = readProcess(pid)
    return found !== undefined && !hasEnded(found)
  }
  const NOT_ROOT = 'only root can start a process that it may not end afterwards'

  test('is named, the run fails all the same, and it is ended as soon as possible', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(NOT_ROOT)
    const running = run(HANGS, { user: other, timeoutMs: 200, graceMs: 300 })
    const ran = await withoutPower(() => running)
    if (!('error' in ran)) throw new Error('expected a run that failed')
    expect(ran.error).toEqual({
      code: 'TIME_LIMIT',
      text: expect.stringMatching(/^it did not end within 0.2 s; its process \d+ does not end$/),
    })
    const [pid] = /\d+(?= does)/.exec(ran.error.text) ?? []
    expect(isRunning(Number(pid))).toBe(true)
    await ran.remains
    expect(isRunning(Number(pid))).toBe(false)
  })

  test('does not keep the agent from ending', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(NOT_ROOT)
    const stop = new AbortController()
    const running = run(HANGS, { user: other, graceMs: 300, signal: stop.signal })
    const ran = await withoutPower(async () => {
      stop.abort()
      return await running
    })
    expect(ran).toMatchObject({
      error: { code: 'CRASHED', text: expect.stringMatching(/^the agent stopped; its process \d+ does not end$/) },
    })
    if ('error' in ran) await ran.remains
  })

  test('is named, if it is a descendant of a process that ended well', async (context) => {
    if (process.getuid?.() !== 0) return context.skip(NOT_ROOT)
    const file = path.join(folder, 'unendable')
    const script = startsChild(file, "{ stdio: 'ignore' }", "console.log('done')")
    const running = run(script, { user: other, graceMs: 300 })
    const ran = await withoutPower(() => running)
    const pid = readFileSync(file, 'utf8')
    expect(ran).toMatchObject({ error: { code: 'TIME_LIMIT', text: `it ended; its process ${pid} does not end` } })
    if ('error' in ran) await ran.remains
    expect(isRunning(Number(pid))).toBe(false)
  })
})
