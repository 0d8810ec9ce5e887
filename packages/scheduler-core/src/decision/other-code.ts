import type { Plugins } from '../contracts/plugins.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { CORE_VERSION } from '../values/version.ts'

/**
 * How the code that made a decision differs from this service's, so that a replay may decide otherwise: the rest of a sentence that begins
 * with `decided`. Undefined: it was the same code.
 */
export function otherCode({ core, plugins = [] }: Pick<DecisionRecord, 'core' | 'plugins'>, { list }: Plugins): string | undefined {
  if (core !== CORE_VERSION) return `by release ${core}; this is ${CORE_VERSION}`
  for (const { name, version } of plugins) {
    const here = list.find((plugin) => plugin.name === name)?.version
    if (here !== version)
      return `with plug-in ${name} ${version}; this replica has ${here === undefined ? 'not loaded it' : `version ${here}`}`
  }
  return undefined
}
