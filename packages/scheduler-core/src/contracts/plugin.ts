import type { PluginRef } from '../records/plugin-ref.ts'
import { ofEachKind, type PartLists } from './part-kinds.ts'

/** The version of the interface `Plugin`. A plug-in that was written for another version is refused when it is loaded. */
export const PLUGIN_CONTRACT = 1

/**
 * A plug-in: the default export of the entry module of an npm package or folder that a service loads. The rules:
 * - Its filters and weighers follow the same contracts as those of the release (contracts/filter.ts, contracts/weigher.ts).
 * - Its namespaces follow the contract in contracts/namespace.ts. Replicas without the plug-in store the same documents.
 * - Its schedulers follow the contract PluginScheduler in contracts/compiled-profile.ts. They run only in the service's own process.
 * - Filters, weighers, schedulers and namespaces must have different names, within the plug-in, in other plug-ins and in the release.
 * - Decision records have the version of the plug-in. If a plug-in changes so that it decides differently, it needs a new version.
 * - A plug-in cannot add a resource kind, because the resources of claims must be equal on all replicas, including replicas without the
 * plug-in (docs/adr/0014).
 */
export interface Plugin extends PluginRef, PartLists {
  readonly contract: typeof PLUGIN_CONTRACT
  /** A description in one sentence. */
  readonly description: string
}

/** The argument of `definePlugin`. Empty lists can be left out. */
export type PluginInput = Omit<Plugin, 'contract' | keyof PartLists> & Partial<PartLists>

/** Creates the default export of a plug-in's module. The plug-in is checked when it is loaded (check-plugin.ts). */
export const definePlugin = (plugin: PluginInput): Plugin => ({
  contract: PLUGIN_CONTRACT,
  ...plugin,
  ...(ofEachKind((list) => plugin[list] ?? []) as PartLists),
})
