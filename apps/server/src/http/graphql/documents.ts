import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** The texts of operations by their ids, `sha256:` and 64 hexadecimal digits, so that callers can send the id instead of the text. */
export type Documents = ReadonlyMap<string, string>

/** The operations of the console in a folder of `vite build`; empty if the console was not built. */
export async function readDocuments(folder: string): Promise<Documents> {
  const text = await readFile(path.join(folder, 'documents.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, string>>))
}
