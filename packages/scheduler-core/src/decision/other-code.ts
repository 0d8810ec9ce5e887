import type { Plugins } from '../plugin/plugins.ts'
import { CORE_VERSION } from '../version.ts'
import type { DecisionRecord } from './decision.ts'

/**
 * With which other code than this service has a decision was made, so that it may decide otherwise: the rest of a sentence that begins with
 * `decided`. Undefined: with the same.
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
