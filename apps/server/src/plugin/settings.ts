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

/** The most plug-ins. A larger number would be a mistake in the setting. */
export const MOST_PLUGINS = 32

/** Parses GANTT_PLUGINS: names and paths separated by commas, with `trusted:` before one that runs in this process. */
export const readPluginSettings = (text: string | undefined): PluginSetting[] =>
  (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) =>
      entry.startsWith(TRUSTED) ? { from: entry.slice(TRUSTED.length).trim(), mode: 'TRUSTED' } : { from: entry, mode: 'ISOLATED' },
    )

/** The default of GANTT_PLUGIN_TIMEOUT_MS: the time for an answer of a part outside of this process about all hosts, in milliseconds. */
export const DEFAULT_PLUGIN_TIMEOUT_MS = 200
export const MOST_PLUGIN_TIMEOUT_MS = 10_000
