import { type JsonObject, jsonSchemaOf, type Plugin, readsOf } from '@gantt/scheduler-core'
import type { Failure } from '../plugin/contain.ts'
import type { LoadedPlugin } from '../plugin/open-plugins.ts'
import type { PluginState } from '../plugin/outside/asker.ts'
import type { PluginMode } from '../plugin/settings.ts'

/** A plug-in that this process has loaded. */
export interface PluginView {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly mode: PluginMode
  /** As the configuration names it. */
  readonly from: string
  readonly parts: readonly PluginPart[]
  /** Since the start of the process. */
  readonly failures: number
  readonly lastFailure: Failure | undefined
  /** READY while it is in this process. */
  readonly state: PluginState
  /** Of its thread. */
  readonly restarts: number
}

export const pluginPartKinds = ['FILTER', 'WEIGHER', 'SCHEDULER', 'LEASE_PROVIDER'] as const

/** What a plug-in brings, as it says of itself. */
export interface PluginPart {
  readonly kind: (typeof pluginPartKinds)[number]
  readonly name: string
  readonly description: string
  /** The options that it takes, as JSON Schema; null: it says nothing of them. */
  readonly parameters: JsonObject | null
  /** Fields of a host's report; of a part that reads by its options, those without any. */
  readonly reads: readonly string[]
  /** Of a weigher. */
  readonly unit: string | null
}

export interface Plugins {
  /** In the order of the configuration. */
  list(): readonly PluginView[]
  /** The filter or weigher of that name. */
  find(part: string): Part | undefined
}

export function createPlugins(loaded: readonly LoadedPlugin[]): Plugins {
  const parts = new Map<string, Part>(
    loaded.flatMap(({ plugin: { filters, weighers } }) => [...filters, ...weighers].map((part) => [part.name, part] as const)),
  )
  const known = loaded.map((one) => ({ ...one, parts: partsOf(one.plugin) }))
  return {
    find: (name) => parts.get(name),
    list: () =>
      known.map(({ plugin: { name, version, description }, setting: { mode, from }, parts, failures, asker }) => ({
        ...{ name, version, description, mode, from, parts },
        failures: failures.count,
        lastFailure: failures.last,
        state: asker?.health.state ?? 'READY',
        restarts: asker?.health.restarts ?? 0,
      })),
  }
}

type Part = Plugin['filters'][number] | Plugin['weighers'][number]

function partsOf({ filters, weighers, schedulers, leaseProviders }: Plugin): PluginPart[] {
  const about = ({ name, description, parameters, reads }: Part) => ({
    name,
    description,
    parameters: (parameters === undefined ? null : jsonSchemaOf(parameters)) as JsonObject | null,
    reads: readsOf(reads, {}),
  })
  const without = { parameters: null, reads: [], unit: null }
  return [
    ...filters.map((filter) => ({ kind: 'FILTER' as const, ...about(filter), unit: null })),
    ...weighers.map((weigher) => ({ kind: 'WEIGHER' as const, ...about(weigher), unit: weigher.unit })),
    ...schedulers.map(({ name, description }) => ({ kind: 'SCHEDULER' as const, name, description, ...without })),
    ...leaseProviders.map(({ name, description }) => ({ kind: 'LEASE_PROVIDER' as const, name, description, ...without })),
  ]
}
