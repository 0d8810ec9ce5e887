import { readFilesOptions } from './files.ts'
import type { ModuleName } from './names.ts'
import { readPowerOptions } from './power.ts'
import { readPrometheusOptions } from './prometheus.ts'

/** Reads the options of a collector. Throws an error that names the first wrong one. */
const readers: Readonly<Record<ModuleName, (options: unknown, at: string) => unknown>> = {
  files: readFilesOptions,
  prometheus: readPrometheusOptions,
  power: readPowerOptions,
}

/** What is wrong with the options of a collector that comes with the agent, as a sentence. Undefined if they are right. */
export function wrongOption(name: ModuleName, options: unknown, at: string): string | undefined {
  try {
    readers[name](options, at)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
