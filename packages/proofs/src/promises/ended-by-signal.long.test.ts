import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PROGRAM } from '@gantt/cli/for-proofs'
import { afterEach, beforeEach, expect, test } from 'vitest'

let home: string
/** The folder in which the proof creates its folders. */
let folder: string
let child: ChildProcess | undefined

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'gantt-ended-'))
  folder = path.join(home, 'proofs')
  mkdirSync(folder)
  for (const one of [home, folder]) chmodSync(one, 0o711)
})

afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  rmSync(home, { recursive: true, force: true })
})

/** The child processes of a process. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const lines = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return lines.filter(([, parent]) => parent === pid).map(([one]) => one as number)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

const postmasters = (): number[] =>
  readdirSync(folder).map((name) => Number.parseInt(readFileSync(path.join(folder, name, 'state', 'data', 'postmaster.pid'), 'utf8'), 10))

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a proof whose process alone gets %s ends its services and their database, and removes its folder',
  async (signal) => {
    const run = spawn(process.execPath, [PROGRAM, 'prove', 'race', '--rounds', '100000'], {
      env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: folder },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child = run
    let said = ''
    run.stderr.on('data', (text) => {
      said += String(text)
    })
    // The first check is made while both services and the database run.
    await expect.poll(() => said).toContain('ok ')
    const started = [...childrenOf(run.pid as number), ...postmasters()]
    expect(started).toHaveLength(3)
    const ended = once(run, 'close')
    run.kill(signal)
    expect(await ended).toEqual([null, signal])
    // An ended process exists until its parent, or the init process, has collected its exit status.
    await expect.poll(() => started.filter(isThere)).toEqual([])
    expect(readdirSync(folder)).toEqual([])
    expect(said).not.toContain('FAILED')
  },
)
