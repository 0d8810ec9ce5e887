import fs from 'node:fs'
import { birthOf } from './birth.ts'

/**
 * A file with the id of a process, by which other commands find the process. If the process ended and another process later got the same
 * id, the file is recognised as outdated.
 */
export interface PidFile {
  /** The id in the file, if that process is still running. */
  read(): number | undefined
  write(pid: number): void
  /** Writes this process id. If the file names a running process, changes nothing and returns the id of that process. */
  claim(pid: number): number | undefined
  remove(): void
}

export function createPidFile(file: string): PidFile {
  const textOf = (pid: number): string => `${pid} ${birthOf(pid) ?? ''}\n`
  return {
    read: () => runningIn(readIfThere(file)),
    write: (pid) => fs.writeFileSync(file, textOf(pid), { mode: 0o600 }),
    claim(pid) {
      // The content is written to another file, to which the name is then linked. Readers therefore never see an incomplete file.
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

/**
 * Creates `name` as a hard link to the file `mine`. If the file `name` exists and names a running process, or if another process is
 * replacing the file, creates no link and returns the id of that process.
 */
function link(mine: string, name: string): number | undefined {
  while (!unless('EEXIST', () => fs.linkSync(mine, name))) {
    const found = readIfThere(name)
    const running = runningIn(found)
    if (running !== undefined) return running
    // The guard file ensures that only one process removes the file of an ended process, and only if that file was not replaced meanwhile.
    const guard = `${name}.stale`
    const other = link(mine, guard)
    if (other !== undefined) return other
    if (readIfThere(name) === found) fs.rmSync(name, { force: true })
    fs.rmSync(guard)
  }
  return undefined
}

/** Calls the function; returns false if the call fails with this error code. */
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
