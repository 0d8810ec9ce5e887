import fs from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A case with a recorded verdict of Nova, one JSON object per line. The fields other than the id depend on the kind of case. */
export interface Case {
  readonly id: string
  readonly [field: string]: unknown
}

export class CaseFileError extends Error {
  override readonly name = 'CaseFileError'
}

/** The case files below a folder, in order of their paths: `*.jsonl` and `*.jsonl.gz`. Throws CaseFileError if there are none. */
export function findCaseFiles(folder: string): readonly string[] {
  const isFolder = fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isFolder) throw new CaseFileError(`${folder} is not a folder; name a folder with *.jsonl or *.jsonl.gz files`)
  const files = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.jsonl(\.gz)?$/.test(name))
    .sort()
  if (files.length === 0) throw new CaseFileError(`${folder} has no case files; their names must end in .jsonl or .jsonl.gz`)
  return files.map((name) => path.join(folder, name))
}

/** The cases of a file. Throws CaseFileError with the line number of an invalid case. */
export function* readCases(file: string): Generator<Case> {
  const bytes = fs.readFileSync(file)
  const text = file.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8')
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    yield parseCase(line, `${file}:${i + 1}`)
  }
}

function parseCase(line: string, place: string): Case {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new CaseFileError(`${place} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isCase(value)) throw new CaseFileError(`${place} is not a case: it must be an object with a text "id"`)
  return value
}

const isCase = (value: unknown): value is Case =>
  value !== null && typeof value === 'object' && 'id' in value && typeof value.id === 'string'
