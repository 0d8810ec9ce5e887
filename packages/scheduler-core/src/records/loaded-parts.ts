import type { PluginRef } from './plugin-ref.ts'

/**
 * The plug-ins of one service. A fleet has a reference to them for the code that decides. They are not part of the fleet's state, and
 * applying the log does not depend on them. `pluginsOf` (contracts/plugins.ts) returns their filters, weighers and schedulers.
 */
export interface LoadedParts {
  readonly list: readonly PluginRef[]
}

export const NO_PARTS: LoadedParts = { list: [] }
