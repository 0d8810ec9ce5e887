import { ofEachKind, type PartList, type PartLists, type Parts, partsIn } from './part-kinds.ts'
import type { Plugin } from './plugin.ts'
import type { PluginRef } from './plugin-ref.ts'

/**
 * The plug-ins of one service. A fleet carries them to whoever decides on it; two services in one process have each their own. They are
 * no part of the state: a fleet applies the log the same with any of them.
 */
export interface Plugins extends PartLists {
  readonly list: readonly Plugin[]
  /** The plug-in that has a part of that name. */
  ownerOf(part: string): PluginRef | undefined
}

/** Plug-ins of which no two have a part of the same name. */
export function gatherPlugins(list: readonly Plugin[]): Plugins {
  const owners = new Map<string, PluginRef>(
    list.flatMap((plugin) => partsIn(plugin).map(({ part }) => [part.name, { name: plugin.name, version: plugin.version }] as const)),
  )
  const all = ofEachKind((kind) => list.flatMap((plugin): readonly Parts[PartList][] => plugin[kind]))
  // each list is of its own kind
  return { list, ...(all as PartLists), ownerOf: (part) => owners.get(part) }
}

export const noPlugins: Plugins = gatherPlugins([])
