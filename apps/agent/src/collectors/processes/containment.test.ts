import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { endSoon, outputOf, PID_NAMESPACE, runningWith, runsIn, USER_NAMESPACE } from '../../testing/runs.ts'
import type { User } from '../settings.ts'
import { containedCommand, containmentText } from './containment.ts'
import { endLeftovers } from './leftovers.ts'
import { MARK, thisAgent } from './mark.ts'
import { kill, readProcess } from './proc.ts'

const started: ChildProcess[] = []
afterEach(() => {
  // the shell that is the first process of a namespace is in the group of `unshare`
  for (const { pid } of started.splice(0)) if (pid !== undefined) kill(-pid)
})

/** A shell script that runs a command without its environment, in a session of its own, whose parent ends at once. */
const escaping = (command: string): string => `env -i setsid sh -c '${command} > /dev/null 2>&1 &'`
/** A command that would run for an hour, and has this text in its command line. */
const sleeping = (text: string): string => `sh -c "sleep 3600; : ${text}"`
const GREEDY = 'const all = []; setInterval(() => all.length < 32 && all.push(Buffer.alloc(16 * 1_048_576, 1)), 5)'

/** The mark that an agent gave which has ended since. */
async function markOfDeadAgent(): Promise<string> {
  const agent = spawn('true', { stdio: 'ignore' })
  const startTicks = readProcess(agent.pid ?? 0)?.startTicks
  await once(agent, 'exit')
  return `${thisAgent()?.space}.${agent.pid}.${startTicks}.${randomUUID()}`
}

for (const { name, containment, isSkipped } of [PID_NAMESPACE, USER_NAMESPACE])
  describe.skipIf(isSkipped)(name, () => {
    const runNode = runsIn(containment)
    const runShell = (script: string, change: Parameters<typeof runNode>[1] = {}) =>
      runNode('', { file: '/bin/sh', args: ['-c', script], ...change })
    test('the variables of a collector are not in the environment of the programs that run before it', async () => {
      // the dynamic loader of each program that has the variable says that it cannot load the library
      const ran = await runNode('', { file: '/bin/false', args: [], env: { LD_PRELOAD: '/no/such/library.so' } })
      expect(ran).toMatchObject({ error: { code: 'CRASHED' } })
      expect('error' in ran ? ran.error.text.match(/from LD_PRELOAD/g) : ran).toHaveLength(1)
    })

    test('a program has its variables under their own names, and no others of the agent', async () => {
      const env = { PATH: '/usr/bin:/bin', A_1: `two words, "quoted" and 'so'`, IFS: '0' }
      const text = await outputOf(runNode('', { file: '/usr/bin/env', args: [], env }))
      expect(text.split('\n')).toEqual(expect.arrayContaining(Object.entries(env).map(([name, value]) => `${name}=${value}`)))
      expect(text).not.toContain('GANTT_KEPT_')
    })

    describe('a process that tries to escape is contained', () => {
      test('it ends with the program', async () => {
        const text = randomUUID()
        expect(await outputOf(runShell(`${escaping(sleeping(text))}; echo done`))).toBe('done\n')
        expect(await runningWith(text)).toEqual([])
      })

      test('it ends if the program exceeds its time', async () => {
        const text = randomUUID()
        const running = runShell(`${escaping(sleeping(text))}; sleep 3600`, { timeoutMs: 1_000 })
        await expect.poll(async () => (await runningWith(`sleep 3600; : ${text}`)).length).toBeGreaterThan(0)
        expect(await running).toEqual({ error: { code: 'TIME_LIMIT', text: 'it did not end within 1 s' } })
        await endSoon(text)
      })

      test('its memory counts', async () => {
        const script = `${escaping(`"${process.execPath}" -e "$GREEDY"`).replace('env -i', 'env -i GREEDY="$GREEDY"')}; sleep 3600`
        expect(await runShell(script, { env: { PATH: '/usr/bin:/bin', GREEDY }, memoryBytes: 256 * 2 ** 20 })).toMatchObject({
          error: { code: 'MEMORY_LIMIT' },
        })
      })

      test('it ends if the program kills its own process group, to which unshare belongs', async () => {
        const text = randomUUID()
        const ran = await runShell(`${escaping(sleeping(text))}; kill -9 0`)
        expect(ran).toMatchObject({ error: { code: 'CRASHED' } })
        await endSoon(text)
      })

      const startContained = (script: string, env: NodeJS.ProcessEnv, user?: User): ChildProcess => {
        if (containment.kind !== 'namespace') throw new Error('expected a namespace')
        const { file, args } = containedCommand(containment, { file: '/bin/sh', args: ['-c', script], env: {} }, user)
        const child = spawn(file, args, { env: { PATH: '/usr/bin:/bin', ...env }, detached: true, stdio: 'ignore' })
        started.push(child)
        return child
      }

      test.for<[string, User | undefined]>([
        ['the user of the agent', undefined],
        ['another user', { name: 'nobody', uid: 65_534, gid: 65_534 }],
      ])('it ends with unshare, also if no agent ends it, as %s', async ([_name, user], context) => {
        if (user !== undefined && process.getuid?.() !== 0) return context.skip('only root may run a process as another user')
        if (user !== undefined && containment === USER_NAMESPACE.containment)
          return context.skip('an agent without capabilities may not change the user')
        const text = randomUUID()
        const left = startContained(`${escaping(sleeping(text))}; sleep 3600`, {}, user)
        await expect.poll(async () => (await runningWith(`sleep 3600; : ${text}`)).length).toBeGreaterThan(1)
        left.kill('SIGKILL')
        await endSoon(text)
      })

      test('if the agent was killed, the next agent ends it', async () => {
        const text = randomUUID()
        const left = startContained(`${escaping(sleeping(text))}; sleep 3600`, { [MARK]: await markOfDeadAgent() })
        const ended = once(left, 'exit')
        await expect.poll(async () => (await runningWith(`sleep 3600; : ${text}`)).length).toBeGreaterThan(1)
        expect((await endLeftovers()).map(({ pid }) => pid)).toContain(left.pid)
        await ended
        await endSoon(text)
      })
    })

    describe('the program', () => {
      test('may be ended by a signal that it sends to itself, and by an alarm', async () => {
        expect(await runShell('kill -TERM $$; echo still here')).toMatchObject({
          error: { text: 'it ended with code 143 (SIGTERM): Terminated' },
        })
        const alarm = "require('node:child_process').spawnSync('/bin/sh', ['-c', 'kill -ALRM $PPID']); setInterval(() => {}, 1_000)"
        expect(await runNode(alarm)).toMatchObject({ error: { text: expect.stringMatching(/^it ended with code 142 \(SIGALRM\)/) } })
      })

      test('sees the processes of the machine in /proc', async () => {
        expect(await outputOf(runShell(`test -e /proc/${process.pid}/stat && echo yes`))).toBe('yes\n')
      })

      test('is ended first if the machine runs out of memory', async () => {
        expect(await outputOf(runShell('cat /proc/self/oom_score_adj'))).toBe('1000\n')
      })

      test('has the memory of its limit to itself', async () => {
        expect(await outputOf(runShell('sleep 0.5; echo done', { memoryBytes: 8 * 2 ** 20 }))).toBe('done\n')
      })

      test('is named if it cannot be started, for whatever reason, and not if it only names another that cannot', async () => {
        for (const [name, reason] of [
          ['/no/such/program', /[Nn]o.* (file|found)|not found/],
          ['/etc/passwd', /[Pp]ermission denied/],
        ] as const)
          expect(await runNode('', { file: name })).toEqual({
            error: { code: 'START', text: expect.stringMatching(new RegExp(`^${name} cannot be started: .*${reason.source}`)) },
          })
        expect(await runShell('exec /no/such/program')).toMatchObject({
          error: { code: 'CRASHED', text: expect.stringContaining('code 127') },
        })
      })
    })
  })

test('the log says which containment is in force, and why', () => {
  expect(containmentText({ kind: 'namespace', unshare: ['/usr/bin/unshare'], setpriv: '/usr/bin/setpriv' })).toBe(
    'runs of collectors have PID namespaces of their own, which their processes cannot leave',
  )
  expect(containmentText({ kind: 'search', reason: 'unshare: unshare failed: Operation not permitted' })).toBe(
    'runs of collectors have no PID namespaces of their own: unshare: unshare failed: Operation not permitted. A process that removes GANTT_COLLECTOR_RUN from its environment and detaches itself is not always found',
  )
})
