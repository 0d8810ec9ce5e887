import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ownFolder } from './ended-run.ts'

/** Creates a folder for a proof's database, which the database's account can enter, and removes it afterwards. */
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
