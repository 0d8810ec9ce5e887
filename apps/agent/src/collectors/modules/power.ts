import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../json.ts'
import { parseText } from '../parse-text.ts'
import { utf8 } from '../text.ts'
import type { Collect } from './contract.ts'
import { type Options, readOptions } from './options.ts'
import { checkAge } from './times.ts'

const UNITS = { W: 1, mW: 1e-3, uW: 1e-6 } as const
const unitNames = ['W', 'mW', 'uW'] as const

interface PowerOptions {
  /** The power that the machine may draw. */
  readonly budgetWatts: number
  /** No machine of this kind draws more; a measurement above this is an error. */
  readonly maxWatts: number
  /** The free power is rounded down to a multiple of this, so that not each measurement is a new document. */
  readonly stepWatts: number
  /** The name of the feed. */
  readonly feed: string | undefined
  readonly measure: RaplOptions | BmcOptions
}

interface RaplOptions {
  readonly kind: 'rapl'
  /** The folder with the zones. */
  readonly root: string
  /** The zones that are summed, by the beginning of their names. A package contains core and uncore, and the zone psys contains packages. */
  readonly zones: readonly string[]
  /** The time between the two readings of a counter. */
  readonly sampleSeconds: number
}

interface BmcOptions {
  readonly kind: 'bmc'
  readonly file: string
  readonly unit: keyof typeof UNITS
  /** Where the number is in a JSON file, such as `PowerControl.0.PowerConsumedWatts`. Undefined if the file contains only the number. */
  readonly field: string | undefined
  /** An older file is an error, since its number may no longer be true. The kernel's own files below /sys have no age. */
  readonly maxAgeSeconds: number
}

export function readPowerOptions(given: unknown, at = 'options'): PowerOptions {
  const options = readOptions(given, at)
  const read = {
    budgetWatts: options.number('budgetWatts', [1, 1_000_000]),
    maxWatts: options.number('maxWatts', [1, 1_000_000], 20_000),
    stepWatts: options.number('stepWatts', [1, 10_000], 10),
    feed: options.has('feed') ? options.text('feed') : undefined,
  }
  const [rapl, bmc] = [options.object('rapl'), options.object('bmc')]
  options.end()
  if (rapl !== undefined && bmc === undefined) return { ...read, measure: readRaplOptions(rapl) }
  if (bmc !== undefined && rapl === undefined) return { ...read, measure: readBmcOptions(bmc) }
  throw new Error(`${at} must have exactly one of rapl and bmc: how the power is measured`)
}

function readRaplOptions(options: Options): RaplOptions {
  const root = options.path('root', '/sys/class/powercap')
  const zones = options.texts('zones', ['package', 'dram'])
  const sampleSeconds = options.number('sampleSeconds', [0.01, 60], 1)
  options.end()
  return { kind: 'rapl', root, zones, sampleSeconds }
}

function readBmcOptions(options: Options): BmcOptions {
  const file = options.path('file')
  const unit = options.oneOf('unit', unitNames, 'W')
  const field = options.has('field') ? options.text('field') : undefined
  const maxAgeSeconds = options.number('maxAgeSeconds', [1, 86_400], 300)
  options.end()
  return { kind: 'bmc', file, unit, field, maxAgeSeconds }
}

/**
 * Measures the power that a machine draws, and reports what is left of its share of the feed, in the form of the namespace `power` of
 * `examples/plugin-power`.
 */
export const powerCollector: Collect = async ({ options }) => {
  const { budgetWatts, maxWatts, stepWatts, feed, measure } = readPowerOptions(options)
  const watts = measure.kind === 'rapl' ? await measureRapl(measure) : readBmc(measure)
  // a machine on which this program runs draws power
  if (!(watts > 0 && watts <= maxWatts))
    throw new Error(`the machine seems to draw ${Number(watts.toPrecision(6))} W; it must be more than 0 and at most maxWatts, ${maxWatts}`)
  const freeWatts = Math.max(0, Math.floor((budgetWatts - watts) / stepWatts) * stepWatts)
  return { version: '1.0', document: { freeWatts: Math.floor(freeWatts), ...(feed !== undefined && { feed }) } }
}

/** A zone of RAPL (powercap in the kernel's documentation): a counter of energy in microjoules, which begins again after its range. */
interface Zone {
  readonly folder: string
  readonly name: string
}

/** The power of the processors and their memory in watts, from the kernel's counters of energy. */
async function measureRapl({ root, zones: wanted, sampleSeconds }: RaplOptions): Promise<number> {
  const zones = readdirSync(root)
    .filter((entry) => /^intel-rapl(:\d+)+$/.test(entry))
    .map((entry): Zone => ({ folder: path.join(root, entry), name: textIn(path.join(root, entry, 'name')) }))
    .filter(({ name }) => wanted.some((begin) => name.startsWith(begin)))
  if (zones.length === 0) throw new Error(`${root} has no zone of RAPL whose name begins with ${wanted.join(' or ')}`)
  const before = zones.map(energyOf)
  const start = performance.now()
  await new Promise((resolve) => setTimeout(resolve, sampleSeconds * 1_000))
  const elapsed = (performance.now() - start) / 1_000
  const microjoules = zones.reduce((sum, zone, i) => sum + usedEnergy(zone, before[i] ?? 0, energyOf(zone)), 0)
  return microjoules / 1e6 / elapsed
}

const energyOf = ({ folder }: Zone): number => numberIn(path.join(folder, 'energy_uj'))

/** The energy between two readings of a counter, which can have begun again between them. */
function usedEnergy({ folder }: Zone, before: number, after: number): number {
  if (after >= before) return after - before
  const file = path.join(folder, 'max_energy_range_uj')
  const range = numberIn(file)
  if (range < before) throw new Error(`${file} is ${range}, but the counter was ${before}; it must be the largest value of the counter`)
  return after + range - before
}

/** The power in watts from a file that a program of the board controller (BMC) or a driver of the kernel writes. */
function readBmc({ file, unit, field, maxAgeSeconds }: BmcOptions): number {
  if (!file.startsWith('/sys/')) checkAge(file, statSync(file).mtimeMs, maxAgeSeconds)
  return (field === undefined ? numberIn(file) : numberAt(file, field)) * UNITS[unit]
}

function numberAt(file: string, field: string): number {
  const found = field.split('.').reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)]
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, jsonIn(file))
  if (typeof found === 'number' && found >= 0) return found
  throw new Error(`${file}: ${field} is ${JSON.stringify(found) ?? 'absent'}; it must be a number of at least 0`)
}

function jsonIn(file: string): unknown {
  try {
    return parseText(textIn(file), { isToml: false, maxDepth: 32 })
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function numberIn(file: string): number {
  const text = textIn(file)
  if (/^\d{1,18}(\.\d{1,9})?$/.test(text)) return Number(text)
  throw new Error(`${file}: ${JSON.stringify(text.slice(0, 40))} is not a number of at least 0`)
}

function textIn(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`${file} cannot be read: ${why}${why === 'EACCES' ? '; the counters of RAPL can be read only by root' : ''}`)
  }
  try {
    return utf8(bytes).trim()
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
