import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { endLeftovers, leftoverText } from './leftovers.ts'
import { MARK, newMark, originOf, thisAgent } from './mark.ts'
import { hasEnded, readProcess } from './proc.ts'

const started: ChildProcess[] = []
afterEach(async () => {
  for (const child of started.splice(0)) {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
  }
})

/** Starts a process with a mark, as a run of a collector does. It would run for an hour. */
async function startMarked(mark: string): Promise<number> {
  const child = spawn('sleep', ['3600'], { env: { ...process.env, [MARK]: mark }, stdio: 'ignore', detached: true })
  started.push(child)
  await once(child, 'spawn')
  return child.pid ?? 0
}

/** The mark that an agent gave which has ended since. */
async function markOfDeadAgent(): Promise<string> {
  const agent = spawn('true', { stdio: 'ignore' })
  const startTicks = readProcess(agent.pid ?? 0)?.startTicks
  await once(agent, 'exit')
  return `${thisAgent()?.space}.${agent.pid}.${startTicks}.${randomUUID()}`
}

const isRunning = (pid: number): boolean => {
  const found = readProcess(pid)
  return found !== undefined && !hasEnded(found)
}

test('a mark names the agent', () => {
  expect(originOf(newMark())).toEqual(thisAgent())
  expect(newMark()).not.toBe(newMark())
  expect(originOf('a mark of another program')).toBeUndefined()
})

test('what a collector of a dead agent left is ended and named, and collectors of live agents are not touched', async () => {
  const left = await startMarked(await markOfDeadAgent())
  const own = await startMarked(newMark())
  const [, ...rest] = (await markOfDeadAgent()).split('.')
  // in another container, the number of the agent has another meaning
  const elsewhere = await startMarked(`1.${rest.join('.')}`)
  const reused = await startMarked(`${thisAgent()?.space}.${process.pid}.1.${randomUUID()}`)
  const ended = (await endLeftovers()).filter(({ pid }) => [left, own, elsewhere, reused].includes(pid))
  expect(ended.sort((one, other) => one.pid - other.pid)).toEqual(
    [left, reused].sort((one, other) => one - other).map((pid) => ({ pid, name: 'sleep', hasEnded: true })),
  )
  expect([left, own, elsewhere, reused].map(isRunning)).toEqual([false, true, true, false])
})

test('a leftover is one sentence in the log', () => {
  expect(leftoverText({ pid: 7, name: 'sleep', hasEnded: true })).toBe(
    'process 7 (sleep), which a collector of an earlier agent left, was ended',
  )
  expect(leftoverText({ pid: 7, name: 'sleep', hasEnded: false })).toMatch(/ does not end$/)
})
