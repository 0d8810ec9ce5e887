import fs from 'node:fs'
import { birthOf } from './birth.ts'

/** A file that names a process, so that another one finds it: also after a crash, and never one that got its number since. */
export interface PidFile {
  /** The process that it names, while that one runs. */
  read(): number | undefined
  write(pid: number): void
  /** Writes it where none is that names a running process; says which one there is otherwise. */
  claim(pid: number): number | undefined
  remove(): void
}

export function createPidFile(file: string): PidFile {
  const textOf = (pid: number): string => `${pid} ${birthOf(pid) ?? ''}\n`
  return {
    read: () => runningIn(readIfThere(file)),
    write: (pid) => fs.writeFileSync(file, textOf(pid), { mode: 0o600 }),
    claim(pid) {
      // written elsewhere and linked, so that nobody ever finds it half written
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

/** Has a file of one's own stand under a name as well; says which running process has that name otherwise. */
function link(mine: string, name: string): number | undefined {
  while (!unless('EEXIST', () => fs.linkSync(mine, name))) {
    const found = readIfThere(name)
    const running = runningIn(found)
    if (running !== undefined) return running
    // what a dead process left is removed by one at a time, and only if nobody has taken its place since
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
