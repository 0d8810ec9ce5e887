import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The error for an invalid trace file. The message has the file, the line, the found value and the allowed values. */
export class TraceError extends Error {
  override readonly name = 'TraceError'
}

/** The text of a plain or gzip-compressed file. Throws TraceError if the file cannot be read. */
export function readText(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new TraceError(`${file} cannot be read: ${error instanceof Error && 'code' in error ? error.code : error}`)
  }
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.toString('utf8')
  try {
    return gunzipSync(bytes).toString('utf8')
  } catch {
    throw new TraceError(`${file} is damaged: it begins as gzip but cannot be unpacked`)
  }
}

/** Parses one cell. `read` returns undefined if the text is not allowed. */
export interface Cell<Value> {
  read(text: string): Value | undefined
  /** The allowed values, as the end of a sentence: `a whole number of 0 or more`. */
  readonly allowed: string
}

/** A whole number of `min` to `max`, written only with digits. */
export function wholeNumber(min: number, max: number = Number.MAX_SAFE_INTEGER): Cell<number> {
  return {
    allowed: max === Number.MAX_SAFE_INTEGER ? `a whole number of ${min} or more` : `a whole number of ${min} to ${max}`,
    read(text) {
      const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

/** Text that is not empty. */
export const word: Cell<string> = { allowed: 'not empty', read: (text) => (text === '' ? undefined : text) }

/** A text. Null if it is empty. */
export const optionalWord: Cell<string | null> = { allowed: 'any text', read: (text) => (text === '' ? null : text) }

/** Words separated by bars: `A|B`; an empty list if the text is empty. */
export const words: Cell<readonly string[]> = {
  allowed: 'words between bars',
  read: (text) => (text === '' ? [] : text.split('|').every((part) => part !== '') ? text.split('|') : undefined),
}

type Cells = Readonly<Record<string, Cell<unknown>>>
type Row<Columns extends Cells> = { readonly [Name in keyof Columns]: Exclude<ReturnType<Columns[Name]['read']>, undefined> }

/** Reads the named columns row by row. Other columns of the file are ignored, and quotes have no special meaning. Throws TraceError. */
export function readCsv<Columns extends Cells>(file: string, columns: Columns): Row<Columns>[] {
  const name = basename(file)
  const lines = readText(file).split(/\r?\n/)
  while (lines.at(-1) === '') lines.pop()
  const header = (lines[0] ?? '').split(',')
  const wanted = Object.entries(columns).map(([column, cell]) => ({ column, cell, position: header.indexOf(column) }))
  const missing = wanted.find(({ position }) => position < 0)
  if (missing !== undefined)
    throw new TraceError(`${name}, line 1: the columns are ${shown(header.join(','))}; they must include ${missing.column}`)
  if (lines.length < 2) throw new TraceError(`${name}: no rows; there must be at least one`)
  return lines.slice(1).map((line, i) => {
    const fields = line.split(',')
    if (fields.length !== header.length)
      throw new TraceError(`${name}, line ${i + 2}: ${fields.length} fields; there must be ${header.length}, as in the first line`)
    const row: Record<string, unknown> = {}
    for (const { column, cell, position } of wanted) {
      const text = fields[position] as string
      const value = cell.read(text)
      if (value === undefined) throw new TraceError(`${name}, line ${i + 2}: ${column} is ${shown(text)}; it must be ${cell.allowed}`)
      row[column] = value
    }
    return row as Row<Columns>
  })
}

/** Parses a JSON file. Throws TraceError. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file))
  } catch (error) {
    if (error instanceof TraceError) throw error
    throw new TraceError(`${basename(file)} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
}

/** A value as text for error messages. Long values are shortened. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}...` : text
}
