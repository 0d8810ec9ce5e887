import { readFile } from 'node:fs/promises'
import path from 'node:path'

/** Texts of operations by their ids, `sha256:` and 64 hexadecimal digits: who sends the id need not send the text. */
export type Documents = ReadonlyMap<string, string>

/** The operations of the console in a folder that `vite build` made; none where it was not built. */
export async function readDocuments(folder: string): Promise<Documents> {
  const text = await readFile(path.join(folder, 'documents.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, string>>))
}
