import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

/** The contents of a file; undefined if it does not exist. */
export function readKept(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error
  }
}

/** Writes a file atomically, readable only by its owner. */
export function writeKept(file: string, text: string): void {
  const unfinished = `${file}.tmp-${process.pid}`
  fs.writeFileSync(unfinished, `${text}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, file)
}

/** The key in a file. If there is no file, a new key, which is not written yet. Undefined if the file contains no valid key. */
export function readOrDrawKey(file: string): { readonly key: string; readonly isKept: boolean } | undefined {
  const kept = readKept(file)?.trim()
  if (kept === undefined) return { key: `gantt_${randomBytes(24).toString('base64url')}`, isKept: false }
  return /^[\x21-\x7e]{16,512}$/.test(kept) ? { key: kept, isKept: true } : undefined
}
