import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Collect, Collecting } from './modules/contract.ts'
import { filesCollector } from './modules/files.ts'
import { type ModuleName, moduleNames } from './modules/names.ts'
import { powerCollector } from './modules/power.ts'
import { prometheusCollector } from './modules/prometheus.ts'

// The program that runs a module as a collector, in a process of its own: it reads from standard input which module it is, calls the
// module's function, and prints the result.

/** What the agent writes to standard input. */
interface Given extends Collecting {
  readonly module?: string
  readonly collector?: ModuleName
}

const own: Readonly<Record<ModuleName, Collect>> = { files: filesCollector, prometheus: prometheusCollector, power: powerCollector }

async function collectOf({ module, collector }: Given): Promise<Collect> {
  if (collector !== undefined && moduleNames.includes(collector)) return own[collector]
  if (module === undefined) throw new Error('expected the name of a collector or the path of a module, found neither')
  const { default: collect }: { readonly default?: unknown } = await import(pathToFileURL(module).href)
  if (typeof collect !== 'function') throw new Error(`${module}: its default export must be a function that returns { version, document }`)
  return collect as Collect
}

/** The JSON of what a module returned. JSON would write null for a number that is not finite, which is another document. */
const jsonOf = (collected: unknown): string =>
  JSON.stringify(collected ?? null, (key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${key} is ${value}; a number must be finite`)
    return value
  })

/** A module may print on standard output, for example from a library. Such lines would damage the document, so they go to standard error. */
const print = process.stdout.write.bind(process.stdout)
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write

try {
  const given: Given = JSON.parse(await text(process.stdin))
  const collect = await collectOf(given)
  const { host, node, namespace, options } = given
  const collected = await collect({ host, node, namespace, options })
  // the output is written completely before the process ends, even if the module left timers or connections open
  print(jsonOf(collected), () => process.exit(0))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`, () => process.exit(1))
}
