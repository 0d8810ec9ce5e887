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
  const pidFile: PidFile = {
    read() {
      const [, pid = '', birth] = /^(\d+) (.*)$/m.exec(readIfThere(file)) ?? []
      return birth !== undefined && birth !== '' && birthOf(Number(pid)) === birth ? Number(pid) : undefined
    },
    write: (pid) => fs.writeFileSync(file, textOf(pid), { mode: 0o600 }),
    claim(pid) {
      const running = pidFile.read()
      if (running !== undefined) return running
      pidFile.remove()
      try {
        fs.writeFileSync(file, textOf(pid), { mode: 0o600, flag: 'wx' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        return pidFile.read() ?? pid
      }
      return undefined
    },
    remove: () => fs.rmSync(file, { force: true }),
  }
  return pidFile
}

function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
