import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { allProcesses, nextScan, type Process, readProcess, scanOf, sharedScan, valuesIn } from './proc.ts'
import { inSlices } from './slices.ts'

const started: ReturnType<typeof spawn>[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
  }
})

/** Starts a process that would run for an hour, and returns its number. */
async function start(env: Readonly<Record<string, string>> = {}, file = 'sleep'): Promise<number> {
  const child = spawn(file, ['3600'], { env: { ...process.env, ...env }, stdio: 'ignore' })
  started.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}

const one: Process = { pid: 5, name: 'sh', parent: 1, group: 5, session: 5, state: 'S', startTicks: 100, isOfKernel: false }

test('a process is read, whatever its name contains', async () => {
  const pid = await start({}, 'sleep')
  expect(readProcess(pid)).toMatchObject({ pid, name: 'sleep', parent: process.pid, startTicks: expect.any(Number), isOfKernel: false })
  expect(readProcess(2 ** 22 + 1)).toBeUndefined()
})

test('processes that end while they are read are left out', async () => {
  // a shell starts one process after the other
  const shell = spawn('sh', ['-c', 'while :; do /bin/true; done'], { stdio: 'ignore' })
  started.push(shell)
  for (let scans = 0; scans < 3; scans++) {
    const { processes } = await allProcesses()
    expect(processes.map(({ pid }) => pid)).toEqual(expect.arrayContaining([process.pid, shell.pid]))
  }
  const ended = spawn('true', { stdio: 'ignore' })
  await once(ended, 'exit')
  expect(readProcess(ended.pid ?? 0)).toBeUndefined()
  expect(await valuesIn([{ ...one, pid: ended.pid ?? 0 }], 'PATH')).toEqual({ of: new Map(), isComplete: false })
})

describe('a process that starts another one and ends while processes are read', () => {
  /** A scan of lists that follow each other. A process can be read as often as it has entries in `states`. */
  const scan = (lists: readonly (readonly number[])[], states: Readonly<Record<number, readonly string[]>>) => {
    const [listsLeft, statesLeft] = [[...lists], new Map(Object.entries(states).map(([pid, left]) => [Number(pid), [...left]]))]
    return scanOf(
      async () => listsLeft.shift() ?? [],
      (pid) => {
        const state = statesLeft.get(pid)?.shift()
        return state === undefined || state === 'hidden' ? state : { ...one, pid, state }
      },
    )
  }

  test.each<[string, readonly (readonly number[])[], Readonly<Record<number, readonly string[]>>, readonly number[], boolean]>([
    ['nothing ends', [[1, 2], [3]], { 1: ['S'], 2: ['R'] }, [1, 2], true],
    [
      'it is gone when it is read',
      [
        [1, 2],
        [1, 3],
      ],
      { 1: ['S'], 3: ['S'] },
      [1, 3],
      true,
    ],
    [
      'its parent has not collected its exit code when it is read',
      [
        [1, 2],
        [1, 2, 3],
      ],
      { 1: ['S'], 2: ['Z'], 3: ['S'] },
      [1, 2, 3],
      true,
    ],
    [
      'so does the one that it started',
      [
        [1, 2],
        [1, 3],
        [1, 4],
      ],
      { 1: ['S'], 4: ['S'] },
      [1, 4],
      true,
    ],
    ['one that is hidden from the user is counted as read', [[1, 2], [3]], { 1: ['S'], 2: ['hidden'] }, [1], true],
    [
      'processes end all the time',
      [
        [1, 2],
        [1, 3],
        [1, 4],
        [1, 5],
        [1, 6],
        [1, 7],
      ],
      { 1: ['S'], 7: ['S'] },
      [1],
      false,
    ],
  ])('%s', async (_name, lists, states, pids, isComplete) => {
    const found = await scan(lists, states)
    expect(found.processes.map(({ pid }) => pid)).toEqual(pids)
    expect(found.isComplete).toBe(isComplete)
  })
})

test('reading very many processes lets other work run in between', async () => {
  const real = await allProcesses()
  // the list of processes is as long as that of a large machine: reading each of them is real work
  const pids = Array.from({ length: 5_000 }, (_, i) => real.processes[i % real.processes.length]?.pid ?? 1)
  let turns = 0
  const ticking = setInterval(() => turns++, 0)
  const { results, busyMs } = await inSlices(pids, readProcess)
  clearInterval(ticking)
  expect(results.length).toBeGreaterThan(2_500)
  expect(turns).toBeGreaterThan(0)
  expect(busyMs).toBeGreaterThan(0)
})

test('callers at the same time share a scan, and the next scan has what was started before the call', async () => {
  const shared = sharedScan()
  expect(sharedScan()).toBe(shared)
  const pid = await start()
  const next = nextScan()
  expect(nextScan()).toBe(next)
  expect((await next).processes.map((found) => found.pid)).toContain(pid)
  await shared
})

test('a variable is found in the environment of a process', async () => {
  const pid = await start({ GANTT_TEST_OF: 'a=b' })
  const { processes } = await allProcesses()
  const values = [...(await valuesIn(processes, 'GANTT_TEST_OF')).of].map(([{ pid: of }, value]) => [of, value])
  expect(values.filter(([, value]) => value !== undefined)).toEqual([[pid, 'a=b']])
  // an environment that was read and does not have the variable differs from one that cannot be read
  const withoutIt = { of: new Map([[expect.anything(), undefined]]), isComplete: true }
  expect(await valuesIn([{ ...one, pid }], 'GANTT_OTHER')).toEqual(withoutIt)
  // so does an empty environment of a program that was started
  const empty = spawn('/bin/sleep', ['3600'], { env: {}, stdio: 'ignore' })
  started.push(empty)
  await once(empty, 'spawn')
  await expect.poll(() => valuesIn([{ ...one, pid: empty.pid ?? 0 }], 'GANTT_OTHER')).toEqual(withoutIt)
})

test('an environment that cannot be read now makes the values incomplete, and one that does not exist does not', async () => {
  const self = { ...one, pid: process.ppid }
  const of = async (...processes: readonly Process[]): Promise<boolean> => (await valuesIn(processes, 'GANTT_TEST_OF')).isComplete
  expect(await of(self, { ...one, pid: 2 ** 22 + 1 })).toBe(false)
  expect(await of(self, { ...one, state: 'D' })).toBe(false)
  expect(await of(self, { ...one, state: 'Z' }, { ...one, isOfKernel: true })).toBe(true)
})
