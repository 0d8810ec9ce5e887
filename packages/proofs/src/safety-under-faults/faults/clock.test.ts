import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { createWallClock } from './clock.ts'

/** A program that prints its clocks whenever it reads a line: Date.now(), new Date(), and the monotonic clock. */
const PROGRAM = `
console.log('ready')
process.stdin.on('data', () => console.log([Date.now(), new Date().getTime(), new Date(5).getTime(), new Date() instanceof Date, performance.now()].join(' ')))
`

test('the wall clock of a process follows the file from the start and after each change, and the monotonic clock does not', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-clock-'))
  const clock = createWallClock(path.join(folder, 'clock'))
  clock.set(3_600_000)
  const child = spawn(process.execPath, ['-e', PROGRAM], { env: { ...process.env, ...clock.settings }, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async () => {
    child.stdin.write('\n')
    const [called, made, given, isDate, monotonic] = String((await lines.next()).value).split(' ')
    return { aheadMs: [Number(called) - Date.now(), Number(made) - Date.now()], given, isDate, monotonic: Number(monotonic) }
  }
  const near = (found: readonly number[], ms: number): boolean => found.every((each) => Math.abs(each - ms) < 60_000)
  try {
    expect((await lines.next()).value).toBe('ready')
    const ahead = await ask()
    expect(near(ahead.aheadMs, 3_600_000)).toBe(true)
    expect([ahead.given, ahead.isDate]).toEqual(['5', 'true'])
    child.kill(clock.set(-3_600_000))
    await expect.poll(async () => near((await ask()).aheadMs, -3_600_000)).toBe(true)
    child.kill(clock.set(0))
    await expect.poll(async () => near((await ask()).aheadMs, 0)).toBe(true)
    const { monotonic } = await ask()
    expect(monotonic - ahead.monotonic).toBeGreaterThan(0)
    expect(monotonic - ahead.monotonic).toBeLessThan(60_000)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'close')
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
