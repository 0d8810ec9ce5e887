import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** Writes a file with this text or these bytes, which is removed at the end of the test. */
export function aFile(name: string, content: string | Uint8Array): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-trace-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}
