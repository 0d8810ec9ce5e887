import type { PluginRef } from '../records/plugin-ref.ts'
import { ofEachKind, type PartLists } from './part-kinds.ts'

/** The version of this contract. A plug-in that was written for another version is refused when it is loaded. */
export const PLUGIN_CONTRACT = 1

/**
 * What an npm package or a folder adds to a service that is configured to load it: the default export of its entry. The rules:
 * - Its filters and weighers follow the same contracts as those of the release (contracts/filter.ts, contracts/weigher.ts).
 * - Its namespaces follow the contract in contracts/namespace.ts. What is reported under them is in the log, and the same on replicas without
 * the plug-in.
 * - Its schedulers follow the contract PluginScheduler in contracts/compiled-profile.ts. They run only in the service's own process.
 * - No two parts have the same name, whether they belong to the release or to plug-ins.
 * - Another version of a plug-in may decide differently, so records name the version; a change of its decisions needs a new version.
 * - It cannot add a resource kind: what a claim holds is part of the state on which all replicas agree, whatever each has loaded
 * (docs/adr/0014).
 */
export interface Plugin extends PluginRef, PartLists {
  readonly contract: typeof PLUGIN_CONTRACT
  /** A description in one sentence. */
  readonly description: string
}

/** The form in which an author writes it: empty lists may be left out. */
export type PluginInput = Omit<Plugin, 'contract' | keyof PartLists> & Partial<PartLists>

/** What a module of a plug-in exports by default. It is not checked here but when it is loaded (check-plugin.ts). */
export const definePlugin = (plugin: PluginInput): Plugin => ({
  contract: PLUGIN_CONTRACT,
  ...plugin,
  ...(ofEachKind((list) => plugin[list] ?? []) as PartLists),
})
