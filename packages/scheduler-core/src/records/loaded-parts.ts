import type { PluginRef } from './plugin-ref.ts'

/**
 * The plug-ins of one service, which a fleet carries for the code that decides on it. They are no part of the state: a fleet applies the
 * log the same with any of them, and reads none of them. `pluginsOf` (contracts/plugins.ts) returns their parts.
 */
export interface LoadedParts {
  readonly list: readonly PluginRef[]
}

export const NO_PARTS: LoadedParts = { list: [] }
