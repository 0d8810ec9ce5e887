import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ownFolder } from './ended-run.ts'

/**
 * Creates a temporary folder that the account of the database can enter, calls `use` with the path of the proof's state directory in it,
 * and then removes the folder.
 */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-proof-'))
  chmodSync(folder, 0o711)
  const remove = ownFolder(folder)
  try {
    return await use(path.join(folder, 'state'))
  } finally {
    remove()
  }
}
