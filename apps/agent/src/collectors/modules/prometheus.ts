import { readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Collect } from './contract.ts'
import { type Options, readOptions } from './options.ts'
import { parseExposition, type Sample } from './prometheus-text.ts'

/** At most this many bytes of an exposition are read. The one of a node exporter has about 100 KB. */
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

/**
 * Reads a text exposition, such as that of a node exporter, and maps chosen metrics to fields of a document. Options: `from`, a URL of
 * `http:`, `https:` or `file:`; `version`, the version of the namespace's documents; `fields`, an object with one entry for each field of
 * the document. A field whose metric is absent, or is no finite number, is left out of the document, because it is not known.
 */
export const prometheusCollector: Collect = async ({ options: given }) => {
  const options = readOptions(given)
  const from = options.text('from')
  const version = options.text('version')
  const fields = readFields(options.object('fields'))
  options.end()
  const { samples } = parseExposition(await readText(from))
  const found = fields.flatMap((field): (readonly [string, number])[] => {
    const value = fieldValue(field, samples)
    return value === undefined ? [] : [[field.name, value]]
  })
  if (found.length === 0) throw new Error(`${from} has none of the metrics ${fields.map(({ metric }) => metric).join(', ')}`)
  return { version, document: Object.fromEntries(found) }
}

function readFields(given: Options | undefined): readonly Field[] {
  if (given === undefined || given.names.length === 0)
    throw new Error('options.fields is absent or empty; it must have an entry for each field of the document')
  return given.names.map((name) => {
    const one = given.object(name)
    if (one === undefined) throw new Error(`options.fields.${name} must be an object`)
    const labels = one.object('labels')
    const combine = one.text('combine', 'only')
    const known = combinations.find((each) => each === combine)
    if (known === undefined)
      throw new Error(`options.fields.${name}.combine is ${JSON.stringify(combine)}; it must be one of ${combinations.join(', ')}`)
    const field: Field = {
      name,
      metric: one.text('metric'),
      labels: Object.fromEntries((labels?.names ?? []).map((label) => [label, labels?.text(label) ?? ''])),
      combine: known,
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

async function readText(from: string): Promise<string> {
  const url = URL.canParse(from) ? new URL(from) : undefined
  switch (url?.protocol) {
    case 'file:': {
      const file = fileURLToPath(url)
      const { size } = statSync(file)
      if (size > MAX_BYTES) throw new Error(`${from} has ${size} bytes; at most ${MAX_BYTES} are read`)
      return readFileSync(file, 'utf8')
    }
    case 'http:':
    case 'https:':
      return await fetchText(url)
    default:
      throw new Error(`options.from is ${JSON.stringify(from)}; it must be a URL of http:, https: or file:`)
  }
}

async function fetchText(url: URL): Promise<string> {
  const response = await fetch(url, { headers: { Accept: 'text/plain;version=0.0.4' } }).catch((error: unknown) => {
    throw new Error(`${url} cannot be read: ${error instanceof Error ? String(error.cause ?? error.message) : String(error)}`)
  })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
