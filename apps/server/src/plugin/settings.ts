/** A plug-in as the configuration names it. */
export interface PluginSetting {
  /** The name of a package, or a path. */
  readonly from: string
  /** ISOLATED: in a thread of its own, with a time limit; TRUSTED: in this process, at full speed; EXTENDER: behind HTTP. */
  readonly mode: PluginMode
}

export const pluginModes = ['ISOLATED', 'TRUSTED', 'EXTENDER'] as const
export type PluginMode = (typeof pluginModes)[number]

const TRUSTED = 'trusted:'

/** The largest number of plug-ins; more would be a mistake in the setting. */
export const MOST_PLUGINS = 32

/** The setting GANTT_PLUGINS: names and paths with commas between them, `trusted:` before one that runs in this process. */
export const readPluginSettings = (text: string | undefined): PluginSetting[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) =>
      entry.startsWith(TRUSTED) ? { from: entry.slice(TRUSTED.length).trim(), mode: 'TRUSTED' } : { from: entry, mode: 'ISOLATED' },
    )

/** GANTT_PLUGIN_TIMEOUT_MS if not given: how long a part outside of this process may take for an answer about all hosts, milliseconds. */
export const DEFAULT_PLUGIN_TIMEOUT_MS = 200
export const MOST_PLUGIN_TIMEOUT_MS = 10_000
