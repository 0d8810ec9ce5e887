import type { PluginRef } from '../plugin/plugin-ref.ts'

/**
 * The plug-ins of one service, as a fleet carries them to whoever decides on it. They are no part of the state: a fleet applies the log the
 * same with any of them, and looks into none. `pluginsOf` (plugin/plugins.ts) answers their parts.
 */
export interface LoadedParts {
  readonly list: readonly PluginRef[]
}

export const NO_PARTS: LoadedParts = { list: [] }
