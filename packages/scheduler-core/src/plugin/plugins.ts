import type { Filter } from '../filters/filter.ts'
import type { PluginScheduler } from '../schedulers/plugin-scheduler.ts'
import type { Weigher } from '../weighers/weigher.ts'
import type { Plugin, PluginRef } from './plugin.ts'

/**
 * The plug-ins of one service. A fleet carries them to whoever decides on it; two services in one process have each their own. They are
 * no part of the state: a fleet applies the log the same with any of them.
 */
export interface Plugins {
  readonly list: readonly Plugin[]
  readonly filters: readonly Filter[]
  readonly weighers: readonly Weigher[]
  readonly schedulers: readonly PluginScheduler[]
  /** The plug-in that has a filter, weigher or scheduler of that name. */
  ownerOf(part: string): PluginRef | undefined
}

/** Plug-ins of which no two have a part of the same name. */
export function gatherPlugins(list: readonly Plugin[]): Plugins {
  const owners = new Map<string, PluginRef>(
    list.flatMap(({ name, version, filters, weighers, schedulers }) =>
      [...filters, ...weighers, ...schedulers].map((part) => [part.name, { name, version }] as const),
    ),
  )
  return {
    list,
    filters: list.flatMap(({ filters }) => filters),
    weighers: list.flatMap(({ weighers }) => weighers),
    schedulers: list.flatMap(({ schedulers }) => schedulers),
    ownerOf: (part) => owners.get(part),
  }
}

export const noPlugins: Plugins = gatherPlugins([])
