import type { Plugins } from '../contracts/plugins.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { CORE_VERSION } from '../values/version.ts'

/**
 * Says which other release or plug-in version made a decision, because a replay by this service can then give a different result. The text
 * completes a sentence that begins with `decided`. Undefined if the same versions made the decision.
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
