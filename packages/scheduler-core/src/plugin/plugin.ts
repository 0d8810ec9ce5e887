import { ofEachKind, type PartLists } from './part-kinds.ts'
import type { PluginRef } from './plugin-ref.ts'

/** The version of this contract. A plug-in that was made for another one is refused when it is loaded. */
export const PLUGIN_CONTRACT = 1

/**
 * What an npm package, or a folder, brings to a service that is configured to load it: the default export of its entry.
 *
 * The law:
 * - Its filters and weighers keep the contracts of those of the release (filters/filter.ts, weighers/weigher.ts): there is no second one.
 * - Its namespaces keep the contract of plugin/namespace.ts. What is reported under them is in the log, and the same on replicas without it.
 * - Its schedulers keep the contract PluginScheduler of pipeline/compiled-profile.ts. They run in the process of the service alone.
 * - No part has the name of another one, of the release or of another plug-in.
 * - Another version of a plug-in may decide otherwise, so records name the version; what decides differently is a new version.
 * - It brings no resource kind: what a claim holds is part of what all replicas agree on, whatever each has loaded (docs/adr/0014).
 */
export interface Plugin extends PluginRef, PartLists {
  readonly contract: typeof PLUGIN_CONTRACT
  /** One sentence for people. */
  readonly description: string
}

/** As an author writes it: what it does not bring is left out. */
export type PluginInput = Omit<Plugin, 'contract' | keyof PartLists> & Partial<PartLists>

/** What a module of a plug-in exports by default. It is checked when it is loaded (check-plugin.ts), not here. */
export const definePlugin = (plugin: PluginInput): Plugin => ({
  contract: PLUGIN_CONTRACT,
  ...plugin,
  ...(ofEachKind((list) => plugin[list] ?? []) as PartLists),
})
