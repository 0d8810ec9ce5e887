import { quote } from '@gantt/scheduler-core'
import { GraphQLError, type GraphQLScalarTypeConfig, type ValueNode, valueFromASTUntyped } from 'graphql'
import { callSize } from '../../services/calls/json-size.ts'
import { type PackedArray, pack } from '../../services/calls/packed.ts'
import type { Moment } from '../../services/moments/moments.ts'
import { isSafeJson, MAX_JSON_DEPTH } from './safe-json.ts'

/** Writes and parses the values of a scalar type of the API. `allowed` is the end of a sentence that begins with "it must be". */
interface ScalarRule<Inside> {
  readonly description: string
  readonly allowed: string
  /** Undefined if the value has the wrong form. */
  read(value: unknown): Inside | undefined
  write(value: Inside): unknown
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const dateForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/
const durationForm = /^P(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?:(\d{1,8})H)?(?:(\d{1,8})M)?(?:(\d{1,10})(?:\.(\d{1,3}))?S)?)?$/

/** Milliseconds of an ISO 8601 duration without years and months; undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const parts = durationForm.exec(text)
  if (parts === null || text.endsWith('T') || text === 'P') return undefined
  const [, weeks, days, hours, minutes, seconds, fraction = ''] = parts
  const whole = (value: string | undefined) => Number(value ?? 0)
  const inSeconds = (((whole(weeks) * 7 + whole(days)) * 24 + whole(hours)) * 60 + whole(minutes)) * 60 + whole(seconds)
  return inSeconds * 1_000 + Number(fraction.padEnd(3, '0'))
}

export function printDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  const seconds = (ms - minutes * 60_000) / 1_000
  if (minutes === 0 || seconds > 0) return `PT${minutes > 0 ? `${minutes}M` : ''}${seconds}S`
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`
}

/** Milliseconds since 1970 of a time; undefined for an invalid time. */
function readTime(value: unknown): number | undefined {
  const at = typeof value === 'string' && dateForm.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function readRevision(value: unknown): number | undefined {
  const revision = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  return isNumber(revision) && Number.isSafeInteger(revision) && revision >= 0 ? revision : undefined
}

const printTime = (ms: number): string => new Date(ms).toISOString()

const isNumber = (value: unknown): value is number => typeof value === 'number'

export const scalarRules = {
  DateTime: {
    description: 'A time as RFC 3339 defines it, always with an offset from UTC. Answers are in UTC.',
    allowed: 'a time such as 2026-11-21T08:00:00Z',
    read: readTime,
    write: printTime,
  } as ScalarRule<number>,
  Duration: {
    description: 'A duration in the form of ISO 8601, with weeks, days, hours, minutes and seconds, e.g. PT2M.',
    allowed: 'an ISO 8601 duration such as PT2M',
    read: (value) => (typeof value === 'string' ? parseDuration(value) : undefined),
    write: printDuration,
  } as ScalarRule<number>,
  SafeInt: {
    description: 'A whole number whose absolute value is at most 2^53-1. Totals of a fleet can exceed the 32-bit Int.',
    allowed: 'a whole number from -9007199254740991 to 9007199254740991',
    read: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
    write: (value) => value,
  } as ScalarRule<number>,
  UUID: {
    description: 'A UUID in its usual form, 8-4-4-4-12 hexadecimal digits.',
    allowed: 'a UUID such as 6f1c7f0e-6f0e-4d5a-9c3e-0d8f5f0b2a11',
    read: (value) => (typeof value === 'string' && uuidForm.test(value) ? value.toLowerCase() : undefined),
    write: (value) => value,
  } as ScalarRule<string>,
  PageSize: {
    description: 'A kind or size of memory pages: small, large, any, or the size in KiB as a whole number.',
    allowed: 'small, large, any, or a whole number of KiB, 1 or more',
    read: (value) =>
      value === 'small' || value === 'large' || value === 'any' || (Number.isSafeInteger(value) && (value as number) >= 1)
        ? (value as number | string)
        : undefined,
    write: (value) => value,
  } as ScalarRule<number | string>,
  Revision: {
    description: "An opaque position in the fleet's change log. Compare revisions only through the API.",
    allowed: 'a revision that the API returned',
    read: readRevision,
    write: String,
  } as ScalarRule<number>,
  Moment: {
    description: 'A revision, or a time in the form of DateTime. A time means the state after the last revision up to that time.',
    allowed: 'a revision that the API returned, or a time such as 2026-11-21T08:00:00Z',
    read: (value) => {
      const time = readTime(value)
      if (time !== undefined) return { time }
      const revision = readRevision(value)
      return revision === undefined ? undefined : { revision }
    },
    write: (value) => ('time' in value ? printTime(value.time) : String(value.revision)),
  } as ScalarRule<Moment>,
  PackedColumn: {
    description:
      'A typed array of little-endian values, encoded as Base64. The field that contains it, or a field next to it, states the type of the elements.',
    allowed: 'base64',
    read: () => undefined,
    write: (value) => pack(value),
  } as ScalarRule<PackedArray>,
  JSON: {
    description: 'Any JSON value. Used only where the API does not define the structure.',
    allowed: `JSON that is nested at most ${MAX_JSON_DEPTH} deep, with at most ${callSize.values} values and ${callSize.characters} characters of text, without the key __proto__, NUL, lone surrogates and numbers beyond 2^53 - 1`,
    read: (value) => (isSafeJson(value) ? value : undefined),
    write: (value) => value,
  } as ScalarRule<unknown>,
} as const

export type ScalarName = keyof typeof scalarRules

/** The allowed values of a scalar, for error messages. */
export const allowedFor = (name: string): string | undefined =>
  name in scalarRules ? scalarRules[name as ScalarName].allowed : builtIn[name]

const builtIn: Readonly<Record<string, string>> = {
  Int: 'a whole number from -2147483648 to 2147483647',
  Float: 'a finite number',
  String: 'a string',
  Boolean: 'true or false',
  ID: 'an id',
}

/** Converts a rule to the configuration of a GraphQL scalar, for values in variables and in documents. */
export function scalarConfig<Inside>(
  rule: ScalarRule<Inside>,
): Omit<GraphQLScalarTypeConfig<Inside, unknown>, 'name'> & { serialize(value: unknown): unknown } {
  const parseValue = (value: unknown): Inside => {
    const read = rule.read(value)
    if (read === undefined) throw new GraphQLError(`${quote(value)} must be ${rule.allowed}`)
    return read
  }
  return {
    description: rule.description,
    serialize: (value) => rule.write(value as Inside),
    parseValue,
    parseLiteral: (node: ValueNode, variables) => parseValue(valueFromASTUntyped(node, variables)),
  }
}
