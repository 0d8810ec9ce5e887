import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf } from './error.ts'

const ABANDONED_AFTER_MS = 10 * 60_000

/**
 * Creates a directory completely or not at all: it is filled under another name in the same folder, and then renamed. If two processes
 * create it at once, the second one deletes its copy. Returns true if this call created it.
 */
export function createAtomically(target: string, fill: (unfinished: string) => void): boolean {
  if (fs.existsSync(target)) return false

  const prefix = `.${path.basename(target)}.tmp-`
  removeAbandoned(path.dirname(target), prefix)
  const unfinished = path.join(path.dirname(target), prefix + randomBytes(6).toString('hex'))
  try {
    fill(unfinished)
    fs.renameSync(unfinished, target)
    return true
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Deletes files of killed processes. They are recognised by their age, because process ids repeat in containers. */
function removeAbandoned(parent: string, prefix: string): void {
  for (const name of fs.readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue
    const file = path.join(parent, name)
    const changedAtMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (changedAtMs !== undefined && Date.now() - changedAtMs > ABANDONED_AFTER_MS) fs.rmSync(file, { recursive: true, force: true })
  }
}

/** All files and folders below `folder`; links are not followed. */
export function entriesBelow(folder: string): { file: string; entry: fs.Dirent }[] {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => ({ file: path.join(entry.parentPath, entry.name), entry }))
}
