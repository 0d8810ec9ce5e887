import { quote } from '../text/problem.ts'

/**
 * A field of a versioned object. `undefined` means unset (absent on the wire), and `null` means explicitly empty. Nova's rules distinguish
 * unset from null.
 */
export type Field<T> = T | null | undefined

/**
 * Thrown for a value that does not have Nova's wire form. The error has the path, the found value, and a text that says what is allowed.
 */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly path: string
  readonly found: unknown
  readonly allowed: string

  constructor(path: string, found: unknown, allowed: string) {
    super(`${path} is ${found === undefined ? 'missing' : quote(found)}; it must be ${allowed}`)
    this.path = path
    this.found = found
    this.allowed = allowed
  }
}

/**
 * Splits the path of a WireError into the keys of the document. Keys can contain dots, so the longest key that exists is used. The path
 * skips envelopes (`nova_object.data`), unless the envelope itself is invalid.
 */
export function keysIn(document: unknown, path: string): readonly string[] {
  const keys: string[] = []
  let value = document
  for (let rest = path; rest !== ''; ) {
    const holder = [value, fieldsOf(value)].find((one) => keyAhead(one, rest) !== undefined)
    const key = keyAhead(holder, rest) ?? /^nova_object\.\w+|^[^.]*/.exec(rest)?.[0] ?? rest
    keys.push(key)
    value = holder === undefined ? undefined : (holder as Json)[key]
    rest = rest.slice(key.length + 1)
  }
  return keys
}

/**
 * The longest key of an object, or the index in a list, that is a prefix of the path. The keys of an object are compared with the path, and
 * not the prefixes of the path with the keys, because a path can contain a long key with many dots.
 */
function keyAhead(holder: unknown, path: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined
  if (Array.isArray(holder)) {
    const index = /^[^.]*/.exec(path)?.[0] ?? ''
    return Object.hasOwn(holder, index) ? index : undefined
  }
  const isAhead = (key: string): boolean => path.startsWith(key) && (key.length === path.length || path.charAt(key.length) === '.')
  return Object.keys(holder).reduce<string | undefined>(
    (longest, key) => (key.length > (longest?.length ?? -1) && isAhead(key) ? key : longest),
    undefined,
  )
}

/** Thrown for several values at once that do not have Nova's wire form. */
export class WireErrors extends Error {
  override readonly name = 'WireErrors'
  readonly errors: readonly WireError[]

  constructor(errors: readonly WireError[]) {
    super(errors.map(({ message }) => message).join('; '))
    this.errors = errors
  }
}

/** At most this many keys of one document are refused one by one. */
const MAX_ERRORS = 100

/**
 * Throws WireErrors with one error for each key in `unread`. If there are more than MAX_ERRORS keys, the last error states how many further
 * keys there are. `known` names the allowed keys in the messages.
 */
export function refuseKeys(unread: Json, known: string): void {
  const keys = Object.keys(unread)
  const further = keys.length - MAX_ERRORS
  const errors = keys.slice(0, MAX_ERRORS).map((key, i) => {
    const others = further > 0 && i === MAX_ERRORS - 1 ? `, like ${further} more` : ''
    return new WireError(
      key.length > 80 ? `${key.slice(0, 77)}...` : key,
      unread[key],
      `left out${others}: ${known} are the only fields that are read`,
    )
  })
  if (errors.length > 0) throw new WireErrors(errors)
}

const NAME = 'nova_object.name'
const VERSION = 'nova_object.version'
const DATA = 'nova_object.data'

type Json = Readonly<Record<string, unknown>>

/**
 * Reads one versioned object of Nova field by field, and records which fields were read. The methods throw WireError if a value does not
 * have the type of the field.
 */
export class WireObject {
  readonly name: string
  readonly version: string
  readonly path: string
  readonly #data: Json
  readonly #read = new Set<string>()
  readonly #inside: WireObject[] = []

  /** `names` has the required class name, and also the names that the class had in older releases of Nova. */
  constructor(value: unknown, path: string, ...names: readonly string[]) {
    const allowed = `a versioned object ${names.join(' or ')}`
    if (!isJson(value)) throw new WireError(path, value, allowed)
    const { [NAME]: name, [VERSION]: version, [DATA]: data } = value
    if (typeof name !== 'string' || !names.includes(name)) throw new WireError(`${path}.${NAME}`, name, allowed)
    if (typeof version !== 'string') throw new WireError(`${path}.${VERSION}`, version, 'a version such as "1.14"')
    if (!isJson(data)) throw new WireError(`${path}.${DATA}`, data, 'an object')
    this.name = name
    this.version = version
    this.path = path
    this.#data = data
  }

  /** The names of the fields that are set in the object. */
  get set(): readonly string[] {
    return Object.keys(this.#data)
  }

  /** The field in its wire form, or `undefined` if it is unset. */
  raw(field: string): unknown {
    this.#read.add(field)
    return Object.hasOwn(this.#data, field) ? this.#data[field] : undefined
  }

  /** Marks a field as read if it is null or an empty list. */
  rawIfEmpty(field: string): void {
    const value = this.#data[field]
    if (value === null || (Array.isArray(value) && value.length === 0)) this.#read.add(field)
  }

  text(field: string): Field<string> {
    return this.#field(field, 'a string', isText)
  }

  number(field: string): Field<number> {
    return this.#field(field, 'a number', isNumber)
  }

  flag(field: string): Field<boolean> {
    return this.#field(field, 'true or false', (value) => typeof value === 'boolean')
  }

  texts(field: string): Field<readonly string[]> {
    return this.#list(field, 'a string', isText)
  }

  numbers(field: string): Field<readonly number[]> {
    return this.#list(field, 'a number', isNumber)
  }

  /** A dictionary of strings. */
  pairs(field: string): Field<Readonly<Record<string, string>>> {
    const pairs = this.#field(field, 'an object', isJson)
    if (pairs) for (const [key, value] of Object.entries(pairs)) this.#check(`${field}.${key}`, value, 'a string', isText)
    return pairs as Field<Readonly<Record<string, string>>>
  }

  json(field: string): Field<Json> {
    return this.#field(field, 'an object', isJson)
  }

  /** Reads a field that is a versioned object. */
  object<T>(field: string, read: (object: WireObject) => T, ...names: readonly string[]): Field<T> {
    const value = this.raw(field)
    return value === undefined || value === null ? value : read(this.#open(value, field, names))
  }

  /** Reads a required field that is a versioned object. */
  required<T>(field: string, read: (object: WireObject) => T, ...names: readonly string[]): T {
    return read(this.#open(this.raw(field), field, names))
  }

  /** Reads a field with several versioned objects: a plain list, or a list object with the field `objects`. */
  objects<T>(field: string, read: (object: WireObject) => T, ...names: readonly string[]): Field<readonly T[]> {
    const value = this.raw(field)
    if (value === undefined || value === null) return value
    const list = isJson(value) && isJson(value[DATA]) ? value[DATA].objects : value
    if (!Array.isArray(list)) throw new WireError(`${this.path}.${field}`, value, `a list of ${names.join(' or ')}`)
    return list.map((item, i) => read(this.#open(item, `${field}.${i}`, names)))
  }

  /** Paths of the fields that were not read, in this object and in the objects inside it. */
  unread(): readonly string[] {
    const own = Object.keys(this.#data).filter((field) => !this.#read.has(field))
    return [...own.map((field) => `${this.path}.${field}`), ...this.#inside.flatMap((object) => object.unread())]
  }

  #open(value: unknown, field: string, names: readonly string[]): WireObject {
    const object = new WireObject(value, `${this.path}.${field}`, ...names)
    this.#inside.push(object)
    return object
  }

  #list<T>(field: string, allowed: string, isItem: (item: unknown) => item is T): Field<readonly T[]> {
    const list = this.#field(field, `a list in which each item is ${allowed}`, (value): value is readonly unknown[] => Array.isArray(value))
    for (const [i, item] of (list ?? []).entries()) this.#check(`${field}.${i}`, item, allowed, isItem)
    return list as Field<readonly T[]>
  }

  #check(field: string, value: unknown, allowed: string, isValid: (value: unknown) => boolean): void {
    if (!isValid(value)) throw new WireError(`${this.path}.${field}`, value, allowed)
  }

  #field<T>(field: string, allowed: string, isValid: (value: unknown) => value is T): Field<T> {
    const value = this.raw(field)
    if (value === undefined || value === null || isValid(value)) return value
    throw new WireError(`${this.path}.${field}`, value, `${allowed} or null`)
  }
}

/** True if the version `major.minor` is lower than the version `than`. */
export function isOlder(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [otherMajor = 0, otherMinor = 0] = than.split('.').map(Number)
  return major === otherMajor ? minor < otherMinor : major < otherMajor
}

export const isJson = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
/** The fields of a versioned object or of a plain dictionary. Empty for values of other types. */
export function fieldsOf(value: unknown): Json {
  if (!isJson(value)) return {}
  const data = value[DATA]
  return isJson(data) ? data : value
}
