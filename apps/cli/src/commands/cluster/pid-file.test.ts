import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildSync } from 'esbuild'
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

test('a pid file whose process id now belongs to another process is ignored, after a crash and after a reboot', () => {
  const file = createPidFile(fileIn('stale'))
  for (const text of [`${process.pid} of another life`, `${process.pid} `, `${process.pid}`, 'nothing', '', '0 ']) {
    fs.writeFileSync(fileIn('stale'), text)
    expect(file.read(), text).toBeUndefined()
  }
})

test('a second process that claims the file gets the process id of the first, and the file of an ended process is replaced', () => {
  const file = createPidFile(fileIn('claimed'))
  expect(file.claim(process.pid)).toBeUndefined()
  expect(createPidFile(fileIn('claimed')).claim(process.ppid)).toBe(process.pid)
  fs.writeFileSync(fileIn('claimed'), `${process.pid} of another life\n`)
  expect(file.claim(process.pid)).toBeUndefined()
  file.remove()
  expect(fs.existsSync(fileIn('claimed'))).toBe(false)
})

test('if many processes claim the file of an ended process at the same time, exactly one gets it, and no other file is left', async () => {
  const module = fileIn('pid-file.mjs')
  const entry = path.join(import.meta.dirname, 'pid-file.ts')
  buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'esm', outfile: module })
  const claims = `import { createPidFile } from ${JSON.stringify(module)}
    process.stdin.on('data', (file) => console.log(createPidFile(String(file).trim()).claim(process.pid) ?? 'mine'))
    console.log('ready')`
  const children = Array.from({ length: 8 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', claims], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const say = async (file: string): Promise<string[]> => {
    const answers = children.map(({ stdout }) => once(stdout, 'data'))
    if (file !== '') for (const { stdin } of children) stdin.write(`${file}\n`)
    return (await Promise.all(answers)).map(([answer]) => String(answer).trim())
  }
  await say('')
  const pids = new Set(children.map(({ pid }) => String(pid)))
  for (let round = 0; round < 20; round++) {
    const file = fileIn(`raced-${round}`)
    fs.writeFileSync(file, `${process.pid} of another life\n`)
    const answers = await say(file)
    expect(answers.filter((answer) => answer === 'mine')).toHaveLength(1)
    expect(answers.filter((answer) => pids.has(answer))).toHaveLength(7)
  }
  const exits = children.map((child) => once(child, 'exit'))
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(exits)
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('raced-'))).toHaveLength(20)
})
