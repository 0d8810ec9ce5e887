import { quote } from '../../text/problem.ts'
import { NovaError } from './nova-error.ts'

/** A float of Python. It differs from an integer in how it is printed: 4.0 instead of 4. */
export class PythonFloat {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A value of Python, as `json.loads` returns it. A dict is a map, so that the order of its keys is preserved. */
export type PythonValue = null | boolean | number | bigint | PythonFloat | string | readonly PythonValue[] | PythonDict
export type PythonDict = ReadonlyMap<string, PythonValue>

/** JSON that is nested deeper than this is refused, as Python refuses deep nesting. */
const MAX_DEPTH = 900

/** Parses JSON as Python's `json.loads` does: `4.0` is a float, and `NaN` and `Infinity` are numbers. Throws JSONDecodeError. */
export function parsePythonJson(text: string): PythonValue {
  const reader = new Reader(text)
  const value = reader.value(0)
  reader.end()
  return value
}

const TOKEN =
  /[ \t\n\r]*(?:([[\]{},:])|("(?:[^"\\]|\\.)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)|(true|false|null|NaN|-?Infinity))/y
const WORDS: Readonly<Record<string, PythonValue>> = {
  true: true,
  false: false,
  null: null,
  NaN: new PythonFloat(Number.NaN),
  Infinity: new PythonFloat(Number.POSITIVE_INFINITY),
  '-Infinity': new PythonFloat(Number.NEGATIVE_INFINITY),
}

class Reader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(depth: number): PythonValue {
    if (depth > MAX_DEPTH) throw new NovaError('JSONDecodeError', `the JSON is nested deeper than ${MAX_DEPTH}`)
    const token = this.#next()
    if (token === '[') return this.#list(depth)
    if (token === '{') return this.#dict(depth)
    if (token.startsWith('"')) return this.#string(token)
    if (Object.hasOwn(WORDS, token)) return WORDS[token] as PythonValue
    if (/^-?\d/.test(token)) return numberOf(token)
    return this.#fail()
  }

  end(): void {
    if (/[^ \t\n\r]/.test(this.#text.slice(this.#at))) this.#fail()
  }

  #list(depth: number): PythonValue {
    const items: PythonValue[] = []
    if (this.#peek() === ']') return this.#skip(items)
    for (;;) {
      items.push(this.value(depth + 1))
      const token = this.#next()
      if (token === ']') return items
      if (token !== ',') this.#fail()
    }
  }

  #dict(depth: number): PythonValue {
    const entries = new Map<string, PythonValue>()
    if (this.#peek() === '}') return this.#skip(entries)
    for (;;) {
      const key = this.#next()
      if (!key.startsWith('"') || this.#next() !== ':') this.#fail()
      entries.set(this.#string(key), this.value(depth + 1))
      const token = this.#next()
      if (token === '}') return entries
      if (token !== ',') this.#fail()
    }
  }

  /** Parses a string token. It can have invalid control characters and escapes. */
  #string(token: string): string {
    try {
      return JSON.parse(token) as string
    } catch (error) {
      if (error instanceof SyntaxError) return this.#fail()
      throw error
    }
  }

  #skip<Value>(value: Value): Value {
    this.#next()
    return value
  }

  #peek(): string {
    const at = this.#at
    const token = this.#next()
    this.#at = at
    return token
  }

  #next(): string {
    TOKEN.lastIndex = this.#at
    const match = TOKEN.exec(this.#text)
    if (match === null) return this.#fail()
    this.#at = TOKEN.lastIndex
    return match[1] ?? match[2] ?? match[3] ?? match[4] ?? this.#fail()
  }

  #fail(): never {
    throw new NovaError('JSONDecodeError', `${quote(this.#text)} is not valid JSON at character ${this.#at}`)
  }
}

function numberOf(token: string): PythonValue {
  if (/[.eE]/.test(token)) return new PythonFloat(Number(token))
  const whole = Number(token)
  return Number.isSafeInteger(whole) ? whole + 0 : BigInt(token)
}

/** Converts JSON that JavaScript parsed to Python values. `4.0` becomes an integer, because JavaScript does not keep the difference. */
export function pythonValueOf(json: unknown): PythonValue {
  if (json === null || typeof json === 'boolean' || typeof json === 'string') return json
  if (typeof json === 'number') return Number.isInteger(json) ? json : new PythonFloat(json)
  if (Array.isArray(json)) return json.map(pythonValueOf)
  if (typeof json === 'object') return new Map(Object.entries(json).map(([key, value]) => [key, pythonValueOf(value)]))
  throw new NovaError('TypeError', `${typeof json} is not a type of JSON`)
}
