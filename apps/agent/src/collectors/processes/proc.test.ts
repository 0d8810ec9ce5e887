import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { allProcesses, nextScan, type Process, readProcess, sharedScan, valuesIn } from './proc.ts'
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

const one: Process = { pid: 5, name: 'sh', parent: 1, group: 5, session: 5, state: 'S', startTicks: 100 }

test('a process is read, whatever its name contains', async () => {
  const pid = await start({}, 'sleep')
  expect(readProcess(pid)).toMatchObject({ pid, name: 'sleep', parent: process.pid, startTicks: expect.any(Number) })
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
  expect(await valuesIn([{ ...one, pid: ended.pid ?? 0 }], 'PATH')).toEqual(new Map())
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
  const values = [...(await valuesIn(processes, 'GANTT_TEST_OF'))].map(([{ pid: of }, value]) => [of, value])
  expect(values.filter(([, value]) => value !== undefined)).toEqual([[pid, 'a=b']])
  // an environment that was read and does not have the variable differs from one that cannot be read
  expect(await valuesIn([{ ...one, pid }], 'GANTT_OTHER')).toEqual(new Map([[expect.anything(), undefined]]))
})
