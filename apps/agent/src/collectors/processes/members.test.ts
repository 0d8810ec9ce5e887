import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { MARK } from './mark.ts'
import { createMembers, type Found } from './members.ts'
import { allProcesses, type Process, type Scan } from './proc.ts'

/** Processes with these numbers do not exist, so their environments cannot be read. */
const P = 2 ** 22
const one: Process = { pid: P + 5, name: 'sh', parent: 1, group: P + 5, session: P + 5, state: 'S', startTicks: 100, isOfKernel: false }
const root = { pid: P + 5, startTicks: 100, mark: 'none', isContained: false }
const scanOf = (processes: readonly Process[]): Scan => ({ processes, isComplete: true, busyMs: 0 })
const numbersOf = ({ members }: Found): readonly number[] => members.map(({ pid }) => pid - P).toSorted((a, b) => a - b)

describe('the members of a run', () => {
  test('are the descendants of its first process and the processes of their sessions, and none that ended', async () => {
    const processes = [
      one,
      { ...one, pid: P + 3, parent: P + 9, session: P + 9 },
      { ...one, pid: P + 9, parent: P + 5, session: P + 9 },
      { ...one, pid: P + 6, parent: 1 },
      { ...one, pid: P + 7, state: 'Z' },
      { ...one, pid: P + 8, session: P + 8 },
    ]
    expect(numbersOf(await createMembers(root).among(scanOf(processes)))).toEqual([3, 5, 6, 9])
  })

  test('are none, if the number of the first process belongs to another process by now', async () => {
    expect(numbersOf(await createMembers({ ...root, startTicks: 99 }).among(scanOf([one])))).toEqual([])
  })

  test('stay members after their parents have ended, until their number belongs to another process', async () => {
    const members = createMembers(root)
    const child = { ...one, pid: P + 9, parent: P + 5, session: P + 9 }
    await members.among(scanOf([one, child]))
    const orphan = { ...child, parent: 1 }
    const grandchild = { ...one, pid: P + 3, parent: P + 9, session: P + 3 }
    expect(numbersOf(await members.among(scanOf([orphan, grandchild])))).toEqual([3, 9])
    // the grandchild led a session of its own, in which another process remains
    expect(
      numbersOf(
        await members.among(
          scanOf([
            { ...grandchild, parent: 1 },
            { ...one, pid: P + 4, session: P + 3 },
          ]),
        ),
      ),
    ).toEqual([3, 4])
    const other = { ...orphan, startTicks: 200 }
    expect(numbersOf(await members.among(scanOf([other])))).toEqual([])
  })

  test('may be missing if the list of processes is not complete, or an environment cannot be read now', async () => {
    const members = createMembers(root)
    expect((await members.among(scanOf([one]))).isComplete).toBe(true)
    expect((await members.among({ ...scanOf([one]), isComplete: false })).isComplete).toBe(false)
    const unrelated = { ...one, pid: P + 9, session: P + 9 }
    expect(await members.among(scanOf([one, unrelated]))).toEqual({ members: [one], isComplete: false })
    // in a PID namespace, nothing can be missing
    expect((await createMembers({ ...root, isContained: true }).among(scanOf([one, unrelated]))).isComplete).toBe(true)
    // a process that was started before the run is none of it
    expect(await members.among(scanOf([one, { ...unrelated, startTicks: 99 }]))).toEqual({ members: [one], isComplete: true })
  })

  test('never contain the agent and the processes of its session', async () => {
    const agent = { ...one, pid: process.pid, parent: P + 5, session: 77 }
    expect(numbersOf(await createMembers(root).among(scanOf([one, agent, { ...one, pid: P + 6, session: 77 }])))).toEqual([5])
  })
})

describe('a process that detached itself', () => {
  const started: ReturnType<typeof spawn>[] = []
  afterEach(async () => {
    for (const child of started.splice(0)) {
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
    }
  })
  const start = async (mark: string): Promise<number> => {
    const child = spawn('sleep', ['3600'], { env: { PATH: '/usr/bin:/bin', [MARK]: mark }, detached: true, stdio: 'ignore' })
    started.push(child)
    await once(child, 'spawn')
    return child.pid ?? 0
  }

  test('is found by the mark of its run, and only by that run', async () => {
    const members = createMembers({ ...root, startTicks: 0, mark: 'a' })
    const [own] = [await start('a'), await start('b')]
    const scan = await allProcesses()
    for (let times = 0; times < 2; times++) expect((await members.among(scan)).members.map(({ pid }) => pid)).toEqual([own])
    const later = await start('a')
    expect((await members.among(await allProcesses())).members.map(({ pid }) => pid)).toEqual(expect.arrayContaining([own, later]))
  })
})
