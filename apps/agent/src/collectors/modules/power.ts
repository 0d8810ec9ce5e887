import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '../json.ts'
import { nestingOf } from '../nesting.ts'
import type { Collect } from './contract.ts'
import { type Options, readOptions } from './options.ts'

const UNITS: Readonly<Record<string, number>> = { W: 1, mW: 1e-3, uW: 1e-6 }

/**
 * Measures the power that a machine draws, and reports what is left of its share of the feed, in the form of the namespace `power` of
 * `examples/plugin-power`. Options: `budgetWatts`, the power that the machine may draw; `feed`, the name of the feed; and one of `rapl`
 * and `bmc`, how the power is measured.
 */
export const powerCollector: Collect = async ({ options: given }) => {
  const options = readOptions(given)
  const budget = options.number('budgetWatts', [1, 1_000_000])
  const feed = options.has('feed') ? options.text('feed') : undefined
  const [rapl, bmc] = [options.object('rapl'), options.object('bmc')]
  options.end()
  if ((rapl === undefined) === (bmc === undefined))
    throw new Error('options must have exactly one of rapl and bmc: how the power is measured')
  const watts = rapl === undefined ? readBmc(bmc as Options) : await measureRapl(rapl)
  return { version: '1.0', document: { freeWatts: Math.max(0, Math.floor(budget - watts)), ...(feed !== undefined && { feed }) } }
}

/** A zone of RAPL (powercap in the kernel's documentation): a counter of energy in microjoules, which begins again after its range. */
interface Zone {
  readonly folder: string
  readonly name: string
}

/**
 * The power of the processors and their memory in watts, from the kernel's counters of energy. Options: `zones`, the zones that are summed,
 * by the beginning of their names (package and dram by default: a package contains core and uncore, and the zone psys contains packages);
 * `sampleSeconds`, the time between the two readings of a counter; `root`, the folder with the zones.
 */
async function measureRapl(options: Options): Promise<number> {
  const root = options.text('root', '/sys/class/powercap')
  const wanted = options.texts('zones', ['package', 'dram'])
  const seconds = options.number('sampleSeconds', [0.01, 60], 1)
  options.end()
  const zones = readdirSync(root)
    .filter((entry) => /^intel-rapl(:\d+)+$/.test(entry))
    .map((entry): Zone => ({ folder: path.join(root, entry), name: textIn(path.join(root, entry, 'name')) }))
    .filter(({ name }) => wanted.some((begin) => name.startsWith(begin)))
  if (zones.length === 0) throw new Error(`${root} has no zone of RAPL whose name begins with ${wanted.join(' or ')}`)
  const before = zones.map(energyOf)
  const start = performance.now()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  const elapsed = (performance.now() - start) / 1_000
  const microjoules = zones.reduce((sum, zone, i) => {
    const used = energyOf(zone) - (before[i] ?? 0)
    return sum + (used >= 0 ? used : used + numberIn(path.join(zone.folder, 'max_energy_range_uj')))
  }, 0)
  return microjoules / 1e6 / elapsed
}

const energyOf = ({ folder }: Zone): number => numberIn(path.join(folder, 'energy_uj'))

/**
 * The power in watts from a file that a program of the board controller (BMC) or a driver of the kernel writes. Options: `file`; `unit`, W
 * (the default), mW or uW; `field`, where the number is in a JSON file, such as `PowerControl.0.PowerConsumedWatts`; `maxAgeSeconds`: an
 * older file is an error, since its number may no longer be true. The kernel's own files below /sys have no age.
 */
function readBmc(options: Options): number {
  const file = options.text('file')
  const unit = options.text('unit', 'W')
  const field = options.has('field') ? options.text('field') : undefined
  const maxAge = options.number('maxAgeSeconds', [1, 86_400], 300)
  options.end()
  const factor = UNITS[unit]
  if (factor === undefined)
    throw new Error(`options.bmc.unit is ${JSON.stringify(unit)}; it must be one of ${Object.keys(UNITS).join(', ')}`)
  const age = (Date.now() - statSync(file).mtimeMs) / 1_000
  if (!path.resolve(file).startsWith('/sys/') && age > maxAge)
    throw new Error(`${file} is ${Math.floor(age)} s old, and may be ${maxAge} s old`)
  return (field === undefined ? numberIn(file) : numberAt(file, field)) * factor
}

function numberAt(file: string, field: string): number {
  const text = textIn(file)
  if (nestingOf(text) > 32) throw new Error(`${file} has more than 32 levels of lists and objects`)
  const found = field.split('.').reduce<unknown>((at, key) => {
    if (Array.isArray(at)) return at[Number(key)]
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, JSON.parse(text))
  if (typeof found === 'number' && found >= 0) return found
  throw new Error(`${file}: ${field} is ${JSON.stringify(found) ?? 'absent'}; it must be a number of at least 0`)
}

function numberIn(file: string): number {
  const text = textIn(file)
  if (/^\d{1,18}(\.\d{1,9})?$/.test(text)) return Number(text)
  throw new Error(`${file}: ${JSON.stringify(text.slice(0, 40))} is not a number of at least 0`)
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new Error(`${file} cannot be read: ${why}${why === 'EACCES' ? '; the counters of RAPL can be read only by root' : ''}`)
  }
}
