import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'

/** A separate file system that can be filled without affecting others. */
export interface SmallDisk {
  /** Uses up all free space. `free` releases it. */
  fill(): void
  free(): void
  unmount(): void
}

const BALLAST_BYTES = 1 << 20

/** Mounts a file system of this size in memory on a new folder. If that is not possible, returns the reason. */
export function mountSmallDisk(folder: string, mib: number): SmallDisk | { readonly why: string } {
  if (process.platform !== 'linux') return { why: 'a small file system is mounted on Linux only' }
  if (process.getuid?.() !== 0) return { why: 'only root may mount a small file system' }
  mkdirSync(folder, { recursive: true })
  const { status, error, stderr } = run('mount', ['-t', 'tmpfs', '-o', `size=${mib}m,mode=0710`, 'gantt-nemesis', folder])
  if (status !== 0) return { why: `no file system could be mounted: ${error?.message ?? stderr.trim()}` }
  const ballast = path.join(folder, 'ballast')
  return {
    fill() {
      const file = openSync(ballast, 'a')
      try {
        for (let bytes = BALLAST_BYTES; bytes >= 512; bytes /= 2) fillWith(file, Buffer.alloc(bytes))
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(ballast, { force: true }),
    unmount() {
      const unmounted = run('umount', [folder])
      // If processes still use the file system, it is only detached here. The system removes it when the last of these processes ends.
      if (unmounted.status !== 0) run('umount', ['--lazy', folder])
    },
  }
}

function fillWith(file: number, piece: Buffer): void {
  try {
    for (;;) writeSync(file, piece)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

const run = (program: string, args: readonly string[]) => spawnSync(program, args, { encoding: 'utf8' })
