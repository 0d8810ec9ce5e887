import fs from 'node:fs'
import { birthOf } from './birth.ts'

/** A file that names a process, so that another one finds it: also after a crash, and never one that got its number since. */
export interface PidFile {
  /** The process that it names, while that one runs. */
  read(): number | undefined
  write(pid: number): void
  /** Writes it unless a file names a running process; returns that process otherwise. */
  claim(pid: number): number | undefined
  remove(): void
}

export function createPidFile(file: string): PidFile {
  const textOf = (pid: number): string => `${pid} ${birthOf(pid) ?? ''}\n`
  return {
    read: () => runningIn(readIfThere(file)),
    write: (pid) => fs.writeFileSync(file, textOf(pid), { mode: 0o600 }),
    claim(pid) {
      // written elsewhere and linked, so that it is never read half written
      const mine = `${file}.${pid}`
      fs.writeFileSync(mine, textOf(pid), { mode: 0o600 })
      try {
        return link(mine, file)
      } finally {
        fs.rmSync(mine, { force: true })
      }
    },
    remove: () => fs.rmSync(file, { force: true }),
  }
}

function runningIn(text: string): number | undefined {
  const [, pid = '', birth] = /^(\d+) (.*)$/m.exec(text) ?? []
  return birth !== undefined && birth !== '' && birthOf(Number(pid)) === birth ? Number(pid) : undefined
}

/** Links a file to a name as well; returns the running process that has the name otherwise. */
function link(mine: string, name: string): number | undefined {
  while (!unless('EEXIST', () => fs.linkSync(mine, name))) {
    const found = readIfThere(name)
    const running = runningIn(found)
    if (running !== undefined) return running
    // only one process removes the file of a dead one, and only if it was not replaced since
    const guard = `${name}.stale`
    const other = link(mine, guard)
    if (other !== undefined) return other
    if (readIfThere(name) === found) fs.rmSync(name, { force: true })
    fs.rmSync(guard)
  }
  return undefined
}

/** Does it; false when it fails with this code. */
function unless(code: string, act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error
    return false
  }
}

function readIfThere(file: string): string {
  let text = ''
  unless('ENOENT', () => {
    text = fs.readFileSync(file, 'utf8')
  })
  return text
}
