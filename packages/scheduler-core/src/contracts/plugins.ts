import { type LoadedParts, NO_PARTS } from '../records/loaded-parts.ts'
import type { PluginRef } from '../records/plugin-ref.ts'
import { ofEachKind, type PartList, type PartLists, type Parts, partsIn } from './part-kinds.ts'
import type { Plugin } from './plugin.ts'

const gathered = new WeakSet<LoadedParts>()
const isGathered = (loaded: LoadedParts): loaded is Plugins => gathered.has(loaded)

/** The plug-ins of one service, and the lists of their parts. Two services in one process can have different plug-ins. */
export interface Plugins extends LoadedParts, PartLists {
  readonly list: readonly Plugin[]
  /** The plug-in that has a filter, weigher, scheduler or other part with this name. */
  ownerOf(part: string): PluginRef | undefined
}

/** Combines plug-ins whose parts have different names. `joinPlugins` checks the names (check-plugin.ts). */
export function gatherPlugins(list: readonly Plugin[]): Plugins {
  const owners = new Map<string, PluginRef>(
    list.flatMap((plugin) => partsIn(plugin).map(({ part }) => [part.name, { name: plugin.name, version: plugin.version }] as const)),
  )
  const all = ofEachKind((kind) => list.flatMap((plugin): readonly Parts[PartList][] => plugin[kind]))
  // the cast is needed because the compiler cannot infer that each list has parts of its own kind
  const plugins = { list, ...(all as PartLists), ownerOf: (part: string) => owners.get(part) }
  gathered.add(plugins)
  return plugins
}

export const noPlugins: Plugins = gatherPlugins([])

/** The plug-ins of a fleet. Throws TypeError for plug-ins that `gatherPlugins` did not return. */
export function pluginsOf({ plugins }: { readonly plugins: LoadedParts }): Plugins {
  if (plugins === NO_PARTS) return noPlugins
  if (!isGathered(plugins))
    throw new TypeError('the plug-ins of the fleet were not returned by gatherPlugins; create the fleet with the result of gatherPlugins')
  return plugins
}
