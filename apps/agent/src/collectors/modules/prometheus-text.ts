/** One sample of the text exposition format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** Can be NaN and infinite. */
  readonly value: number
  /** In milliseconds since 1970. Undefined if the line has none. */
  readonly timestamp: number | undefined
}

/** Metric families by name, with their type and help, and all samples in the order of the text. */
export interface Exposition {
  readonly families: ReadonlyMap<string, { readonly type: string; readonly help: string | undefined }>
  readonly samples: readonly Sample[]
}

const TYPES: ReadonlySet<string> = new Set(['counter', 'gauge', 'histogram', 'summary', 'untyped'])
const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y
const LABEL = /[a-zA-Z_][a-zA-Z0-9_]*/y
const BLANK = /[ \t]*/y
const TOKEN = /[^ \t]+/y
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const HEX_NUMBER = /^0[xX][0-9a-fA-F]+$/

/**
 * Parses the text exposition format of Prometheus, version 0.0.4. Throws an error that names the line, because a damaged text can have lost
 * any of its samples.
 * https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
 */
export function parseExposition(text: string): Exposition {
  const families = new Map<string, { type: string; help: string | undefined }>()
  const samples: Sample[] = []
  const lines = text.split('\n')
  // the last line must end with a line feed: without one, a value such as 123 could be half of 123456
  if (lines.pop() !== '') throw new Error(`line ${lines.length + 1} does not end with a line feed, so the text may be incomplete`)
  for (const [i, raw] of lines.entries()) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
    const reader = createReader(line, i + 1)
    reader.skip()
    if (reader.isAtEnd()) continue
    if (reader.takes('#')) readComment(reader, families)
    else samples.push(readSample(reader))
  }
  return { families, samples }
}

/** Reads one line from left to right. */
interface Reader {
  skip(): void
  isAtEnd(): boolean
  takes(char: string): boolean
  /** Reads what the expression matches here. Throws if nothing matches. */
  read(pattern: RegExp, what: string): string
  rest(): string
  fail(rule: string): Error
}

function createReader(line: string, number: number): Reader {
  let at = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const [found] = pattern.exec(line) ?? []
    if (found !== undefined) at += found.length
    return found
  }
  const reader: Reader = {
    skip: () => void match(BLANK),
    isAtEnd: () => at >= line.length,
    takes(char) {
      if (line[at] !== char) return false
      at++
      return true
    },
    read(pattern, what) {
      const found = match(pattern)
      if (found === undefined || found === '') throw reader.fail(`have ${what} here`)
      return found
    },
    rest: () => line.slice(at),
    fail: (rule) => new Error(`line ${number}, column ${at + 1}: found ${JSON.stringify(line.slice(at, at + 40))}; it must ${rule}`),
  }
  return reader
}

function readComment(reader: Reader, families: Map<string, { type: string; help: string | undefined }>): void {
  reader.skip()
  if (reader.isAtEnd()) return
  const word = reader.read(TOKEN, 'a word')
  // all other comments have no meaning
  if (word !== 'HELP' && word !== 'TYPE') return
  reader.skip()
  const name = reader.read(NAME, 'the name of a metric')
  reader.skip()
  const known = families.get(name)
  if (word === 'HELP') families.set(name, { type: known?.type ?? 'untyped', help: unescaped(reader.rest()) })
  else {
    const type = reader.read(TOKEN, 'a type')
    if (!TYPES.has(type))
      throw new Error(`the type of ${name} is ${JSON.stringify(type.slice(0, 40))}; it must be one of ${[...TYPES].join(', ')}`)
    families.set(name, { type, help: known?.help })
  }
}

const unescaped = (text: string): string => text.replace(/\\([\\n])/g, (_all, char: string) => (char === 'n' ? '\n' : '\\'))

function readSample(reader: Reader): Sample {
  const name = reader.read(NAME, 'the name of a metric')
  reader.skip()
  const labels: Record<string, string> = reader.takes('{') ? readLabels(reader) : {}
  reader.skip()
  const value = readNumber(reader.read(TOKEN, 'a value'), reader)
  reader.skip()
  if (reader.isAtEnd()) return { name, labels, value, timestamp: undefined }
  const token = reader.read(TOKEN, 'a time')
  const timestamp = /^-?\d{1,16}$/.test(token) ? Number(token) : Number.NaN
  reader.skip()
  if (Number.isNaN(timestamp) || !reader.isAtEnd()) throw reader.fail('end after the value, or after a time in whole milliseconds')
  return { name, labels, value, timestamp }
}

function readLabels(reader: Reader): Record<string, string> {
  const labels = new Map<string, string>()
  for (;;) {
    reader.skip()
    // a comma after the last label is allowed
    if (reader.takes('}')) break
    const name = reader.read(LABEL, 'the name of a label')
    reader.skip()
    if (!reader.takes('=')) throw reader.fail('have = after the name of a label')
    reader.skip()
    if (labels.has(name)) throw reader.fail(`have the label ${name} once`)
    labels.set(name, readQuoted(reader))
    reader.skip()
    if (reader.takes(',')) continue
    reader.skip()
    if (!reader.takes('}')) throw reader.fail('have a comma or } after a label')
    break
  }
  return Object.fromEntries(labels)
}

const PLAIN = /[^"\\]+/y

/** A value in quotes, in which a backslash is before a quote, a backslash, or the n of a line feed. */
function readQuoted(reader: Reader): string {
  if (!reader.takes('"')) throw reader.fail('have the value of a label in quotes')
  let value = ''
  while (!reader.takes('"')) {
    if (reader.isAtEnd()) throw reader.fail('end the value of a label with a quote')
    if (!reader.takes('\\')) value += reader.read(PLAIN, 'text')
    else if (reader.takes('n')) value += '\n'
    else if (reader.takes('\\')) value += '\\'
    else if (reader.takes('"')) value += '"'
    else throw reader.fail('have n, \\ or " after a backslash')
  }
  return value
}

/** Reads a number as Go's ParseFloat writes it: decimal, hexadecimal, infinite, or NaN. */
function readNumber(token: string, reader: Reader): number {
  if (NUMBER.test(token) || HEX_NUMBER.test(token)) return Number(token)
  const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i.exec(token)
  if (special === null) throw reader.fail(`have a number before this, not ${JSON.stringify(token.slice(0, 40))}`)
  const [, sign, infinite] = special
  if (infinite === undefined) return Number.NaN
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}
