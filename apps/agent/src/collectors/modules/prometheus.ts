import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { utf8 } from '../text.ts'
import { decoded, withoutUrlSecrets } from '../urls.ts'
import type { Collect } from './contract.ts'
import { type Options, readOptions } from './options.ts'
import { parseExposition, type Sample } from './prometheus-text.ts'
import { ageOf } from './times.ts'

/** At most this many bytes of an exposition are read. A node exporter's exposition has about 100 KB. */
const MAX_BYTES = 16 * 1_048_576

/** How samples with different labels become one number. `only`: there must be one sample. */
const combinations = ['only', 'sum', 'min', 'max'] as const

interface Field {
  readonly name: string
  readonly metric: string
  /** The values that labels of a sample must have. */
  readonly labels: Readonly<Record<string, string>>
  readonly combine: (typeof combinations)[number]
  /** The value is multiplied by this. */
  readonly scale: number
  /** How many digits after the decimal point remain. Undefined if the value is not rounded. */
  readonly digits: number | undefined
}

interface PrometheusOptions {
  /** Where the exposition is: a URL of `http:`, `https:` or `file:`. */
  readonly from: URL
  /** The version of the namespace's documents. */
  readonly version: string
  readonly fields: readonly Field[]
  /** A sample with an older time is left out, because its value may no longer be true. Most samples have no time. */
  readonly maxAgeSeconds: number
}

export function readPrometheusOptions(given: unknown, at = 'options'): PrometheusOptions {
  const options = readOptions(given, at)
  const text = options.text('from')
  const from = URL.canParse(text) ? new URL(text) : undefined
  if (from === undefined || !['http:', 'https:', 'file:'].includes(from.protocol))
    throw options.wrong('from', 'be a URL of http:, https: or file:')
  const read = {
    from,
    version: options.text('version'),
    fields: readFields(options.object('fields'), at),
    maxAgeSeconds: options.number('maxAgeSeconds', [1, 86_400], 300),
  }
  options.end()
  return read
}

/**
 * Reads a text exposition, such as that of a node exporter, and maps chosen metrics to fields of a document. A field whose metric is
 * absent, too old or no finite number is left out of the document, because it is not known.
 */
export const prometheusCollector: Collect = async ({ options }) => {
  const { from, version, fields, maxAgeSeconds } = readPrometheusOptions(options)
  const metrics = fields.map(({ metric }) => metric)
  const now = Date.now()
  const samples = parseExposition(await readText(from)).samples.filter(({ name }) => metrics.includes(name))
  const isOld = ({ name, timestamp }: Sample): boolean =>
    timestamp !== undefined && ageOf(`a sample of ${name}`, timestamp, now) > maxAgeSeconds
  // a value that is too old is not known, and so is a sum with such a value
  const known = samples.map((sample) => (isOld(sample) ? { ...sample, value: Number.NaN } : sample))
  const found = fields.flatMap((field): (readonly [string, number])[] => {
    const value = fieldValue(field, known)
    return value === undefined ? [] : [[field.name, value]]
  })
  if (found.length === 0) throw new Error(`${shownUrl(from)} has none of the metrics ${metrics.join(', ')}`)
  return { version, document: Object.fromEntries(found) }
}

function readFields(given: Options | undefined, at: string): readonly Field[] {
  if (given === undefined || given.names.length === 0)
    throw new Error(`${at}.fields is absent or empty; it must have an entry for each field of the document`)
  return given.names.map((name) => {
    const one = given.object(name)
    if (one === undefined) throw given.wrong(name, 'be an object')
    const labels = one.object('labels')
    const field: Field = {
      name,
      metric: one.text('metric'),
      labels: Object.fromEntries((labels?.names ?? []).map((label) => [label, labels?.text(label) ?? ''])),
      combine: one.oneOf('combine', combinations, 'only'),
      scale: one.number('scale', [-1e18, 1e18], 1),
      digits: one.has('digits') ? one.number('digits', [0, 15]) : undefined,
    }
    one.end()
    return field
  })
}

const joins: Readonly<Record<Field['combine'], (one: number, other: number) => number>> = {
  only: (one) => one,
  sum: (one, other) => one + other,
  min: (one, other) => Math.min(one, other),
  max: (one, other) => Math.max(one, other),
}

/** The value of a field. Undefined if no sample has it, or if it is not a finite number. */
export function fieldValue({ name, metric, labels, combine, scale, digits }: Field, samples: readonly Sample[]): number | undefined {
  const wanted = Object.entries(labels)
  const values = samples.flatMap((sample) =>
    sample.name === metric && wanted.every(([label, value]) => (sample.labels[label] ?? '') === value) ? [sample.value] : [],
  )
  const [first] = values
  if (first === undefined) return undefined
  if (combine === 'only' && values.length > 1)
    throw new Error(
      `options.fields.${name}: ${values.length} samples of ${metric} match; add labels, or state in combine how they become one number`,
    )
  const scaled = values.slice(1).reduce(joins[combine], first) * scale
  if (!Number.isFinite(scaled)) return undefined
  return digits === undefined ? scaled : Number(scaled.toFixed(digits))
}

/** A URL without user, password and query, which can contain secrets. */
const shownUrl = (url: URL): string => withoutUrlSecrets(url.href)

async function readText(from: URL): Promise<string> {
  const bytes = from.protocol === 'file:' ? readSmallFile(from) : await fetchBytes(from)
  try {
    return utf8(bytes)
  } catch (error) {
    throw new Error(`${shownUrl(from)}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readSmallFile(from: URL): Uint8Array {
  const file = fileURLToPath(from)
  const stat = statSync(file)
  // a named pipe would never end
  if (!stat.isFile()) throw new Error(`${file} is not a regular file`)
  if (stat.size > MAX_BYTES) throw new Error(`${file} has ${stat.size} bytes; at most ${MAX_BYTES} are read`)
  return readFileSync(file)
}

async function fetchBytes(from: URL): Promise<Uint8Array> {
  const { username, password } = from
  const url = new URL(from)
  // fetch refuses a URL with a user or a password
  url.username = ''
  url.password = ''
  const credentials = `${decoded(username)}:${decoded(password)}`
  const headers = {
    Accept: 'text/plain;version=0.0.4',
    ...(credentials !== ':' && { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const response = await fetch(url, { headers }).catch((error: unknown) => {
    throw new Error(`${shownUrl(from)} cannot be read: ${error instanceof Error ? String(error.cause ?? error.message) : String(error)}`)
  })
  if (!response.ok) throw new Error(`${shownUrl(from)} answered with status ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`${shownUrl(from)} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
