import type { PluginRef } from '../records/plugin-ref.ts'
import { ofEachKind, type PartLists } from './part-kinds.ts'

/** The version of this contract. A plug-in that was written for another version is refused when it is loaded. */
export const PLUGIN_CONTRACT = 1

/**
 * What an npm package or a folder adds to a service that loads it: the default export of its entry module. The rules:
 * - Its filters and weighers follow the same contracts as those of the release (contracts/filter.ts, contracts/weigher.ts).
 * - Its namespaces follow the contract in contracts/namespace.ts. Their documents are in the log, and are the same on replicas without the
 * plug-in.
 * - Its schedulers follow the contract PluginScheduler in contracts/compiled-profile.ts. They run only in the service's own process.
 * - No two parts have the same name, whether they belong to the release or to plug-ins.
 * - Records have the version of the plug-in, because another version may decide differently. A plug-in that decides differently needs a new
 * version.
 * - It cannot add a resource kind. What a claim holds is part of the state that is equal on all replicas, whatever each has loaded
 * (docs/adr/0014).
 */
export interface Plugin extends PluginRef, PartLists {
  readonly contract: typeof PLUGIN_CONTRACT
  /** A description in one sentence. */
  readonly description: string
}

/** The form in which an author writes a plug-in. Empty lists may be left out. */
export type PluginInput = Omit<Plugin, 'contract' | keyof PartLists> & Partial<PartLists>

/** The default export of a plug-in's module. It is checked when it is loaded (check-plugin.ts). */
export const definePlugin = (plugin: PluginInput): Plugin => ({
  contract: PLUGIN_CONTRACT,
  ...plugin,
  ...(ofEachKind((list) => plugin[list] ?? []) as PartLists),
})
