import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPidFile } from './pid-file.ts'

let folder: string
const fileIn = (name: string): string => path.join(folder, name)

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-pid-'))
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

test('a process is found by its file while it runs, and not once it has ended', async () => {
  const file = createPidFile(fileIn('sleeper'))
  expect(file.read()).toBeUndefined()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  file.write(child.pid ?? 0)
  expect(file.read()).toBe(child.pid)
  child.kill('SIGKILL')
  await exited
  expect(file.read()).toBeUndefined()
})

test('a number that another process has by now is not believed: neither after a crash nor after a start of the machine', () => {
  const file = createPidFile(fileIn('stale'))
  for (const text of [`${process.pid} of another life`, `${process.pid} `, `${process.pid}`, 'nothing', '', '0 ']) {
    fs.writeFileSync(fileIn('stale'), text)
    expect(file.read(), text).toBeUndefined()
  }
})

test('of two that want to be the only one the second is told who the first is; the file of a dead one is taken over', () => {
  const file = createPidFile(fileIn('claimed'))
  expect(file.claim(process.pid)).toBeUndefined()
  expect(createPidFile(fileIn('claimed')).claim(process.ppid)).toBe(process.pid)
  fs.writeFileSync(fileIn('claimed'), `${process.pid} of another life\n`)
  expect(file.claim(process.pid)).toBeUndefined()
  file.remove()
  expect(fs.existsSync(fileIn('claimed'))).toBe(false)
})
