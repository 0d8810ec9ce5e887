/** A plug-in as the configuration names it. */
export interface PluginSetting {
  /** The name of a package, or a path. */
  readonly from: string
  /** ISOLATED: in a separate thread, with a time limit. TRUSTED: in this process, without a time limit. EXTENDER: called over HTTP. */
  readonly mode: PluginMode
}

export const pluginModes = ['ISOLATED', 'TRUSTED', 'EXTENDER'] as const
export type PluginMode = (typeof pluginModes)[number]

const TRUSTED = 'trusted:'

/** The setting may name at most this many plug-ins. A larger count is assumed to be a mistake. */
export const MAX_PLUGINS = 32

/** Parses GANTT_PLUGINS: names and paths separated by commas, with `trusted:` before one that runs in this process. */
export const readPluginSettings = (text: string | undefined): PluginSetting[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) =>
      entry.startsWith(TRUSTED) ? { from: entry.slice(TRUSTED.length).trim(), mode: 'TRUSTED' } : { from: entry, mode: 'ISOLATED' },
    )

/**
 * The default of GANTT_PLUGIN_TIMEOUT_MS: how long a filter or weigher outside of this process may take to answer about all hosts, in
 * milliseconds.
 */
export const DEFAULT_PLUGIN_TIMEOUT_MS = 200
export const MAX_PLUGIN_TIMEOUT_MS = 10_000
