import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { gantt } from '../../testing/gantt.ts'

const BIN = fileURLToPath(new URL('../../../bin/gantt.mjs', import.meta.url))

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-serve-'))
  fs.chmodSync(folder, 0o711)
})

afterEach(async () => {
  await gantt({}, 'db', 'stop', '--data-dir', folder)
  fs.rmSync(folder, { recursive: true, force: true })
})

test('closing the terminal stops the service and its database', async () => {
  const child = spawn(process.execPath, [BIN, 'serve'], {
    env: { PATH: process.env.PATH ?? '', HOME: folder, PORT: '0', GANTT_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  for await (const text of child.stdout) if (String(text).includes('Gantt is ready')) break
  child.stdout.destroy()
  child.stderr.destroy()
  child.kill('SIGHUP')
  expect(await ended).toEqual([0, null])
  expect(fs.existsSync(path.join(folder, 'data', 'postmaster.pid'))).toBe(false)
})

test('a demo whose output pipe is closed shuts down in an orderly way', async () => {
  const child = spawn(process.execPath, [BIN, 'demo', '--port', '0', '--hosts', '20', '--data-dir', folder], {
    env: { PATH: process.env.PATH ?? '', HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  child.stdout.destroy()
  child.stderr.destroy()
  expect(await ended).toEqual([0, null])
  expect(fs.existsSync(path.join(folder, 'data', 'postmaster.pid'))).toBe(false)
})
