import type { PluginRef } from './plugin-ref.ts'

/**
 * The plug-ins of one service. A fleet exposes them to the code that decides on it. They are not part of the state: a fleet applies the
 * log identically with any plug-ins. `pluginsOf` (contracts/plugins.ts) returns their parts.
 */
export interface LoadedParts {
  readonly list: readonly PluginRef[]
}

export const NO_PARTS: LoadedParts = { list: [] }
