import type { PluginRef } from './plugin-ref.ts'

/**
 * The plug-ins of one service. A fleet has a reference to these plug-ins for the code that makes decisions. They are not part of the
 * fleet's state, and applying the log does not depend on them.
 */
export interface LoadedParts {
  readonly list: readonly PluginRef[]
}

export const NO_PARTS: LoadedParts = { list: [] }
