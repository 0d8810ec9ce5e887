import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { codeOf } from './error.ts'

const ABANDONED_AFTER_MS = 10 * 60_000

/**
 * Makes a directory that is either complete or not there: filled under another name in the same folder, then renamed.
 * Of two processes doing so at once the second drops its copy. Returns whether this call made it.
 */
export function makeWhole(target: string, fill: (unfinished: string) => void): boolean {
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

/** What a killed process left. Known by its age: process numbers repeat in containers. */
function removeAbandoned(parent: string, prefix: string): void {
  for (const name of fs.readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue
    const file = path.join(parent, name)
    const changedAtMs = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs
    if (changedAtMs !== undefined && Date.now() - changedAtMs > ABANDONED_AFTER_MS) fs.rmSync(file, { recursive: true, force: true })
  }
}

/** Every file and folder below `folder`, links not followed. */
export function entriesBelow(folder: string): { file: string; entry: fs.Dirent }[] {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => ({ file: path.join(entry.parentPath, entry.name), entry }))
}
