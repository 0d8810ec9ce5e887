import { randomBytes } from 'node:crypto'
import fs from 'node:fs'

/** The contents of a file; undefined if it does not exist. */
export function readIfExists(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error
  }
}

/** Writes a file atomically, readable only by its owner. */
export function writePrivate(file: string, text: string): void {
  const unfinished = `${file}.tmp-${process.pid}`
  fs.writeFileSync(unfinished, `${text}\n`, { mode: 0o600 })
  fs.renameSync(unfinished, file)
}

/** Reads the key in a file, or generates a key if the file does not exist, without writing it. Undefined if the file has no valid key. */
export function readOrDrawKey(file: string): { readonly key: string; readonly isKept: boolean } | undefined {
  const kept = readIfExists(file)?.trim()
  if (kept === undefined) return { key: `gantt_${randomBytes(24).toString('base64url')}`, isKept: false }
  return /^[\x21-\x7e]{16,512}$/.test(kept) ? { key: kept, isKept: true } : undefined
}
