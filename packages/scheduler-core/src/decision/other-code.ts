import type { Plugins } from '../contracts/plugins.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { CORE_VERSION } from '../values/version.ts'

/**
 * How the code that made a decision differs from this service's code, because a replay may then decide otherwise. The text completes a
 * sentence that begins with `decided`. Undefined if the code is the same.
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
