import {
  type JsonObject,
  jsonSchemaOf,
  type PartList,
  type Parts,
  type Plugin,
  type PluginNamespace,
  partKinds,
  partLists,
  partsIn,
  readsOf,
} from '@gantt/scheduler-core'
import type { Failure } from '../../plugin/contain.ts'
import type { LoadedPlugin } from '../../plugin/open-plugins.ts'
import type { PluginState } from '../../plugin/outside/asker.ts'
import type { PluginMode } from '../../plugin/settings.ts'

/** A plug-in that this process has loaded. */
export interface PluginView {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly mode: PluginMode
  /** The module that the configuration names. */
  readonly from: string
  readonly parts: readonly PluginPart[]
  /** How many calls of the plug-in have failed since the start of the process. */
  readonly failures: number
  readonly lastFailure: Failure | undefined
  /** The state of the plug-in's thread; READY if the plug-in runs in this process. */
  readonly state: PluginState
  /** How many times the plug-in's thread was restarted. */
  readonly restarts: number
}

/** The kinds of parts that a plug-in can have. Each kind has its name in the API and a description. */
export const pluginPartKinds = partLists.map((list) => partKinds[list])

/** The plug-in's own description of one of its parts, such as a filter, weigher or scheduler. */
export interface PluginPart {
  readonly kind: (typeof pluginPartKinds)[number]['kind']
  readonly name: string
  readonly description: string
  /** The options of the part, as JSON Schema; null if the part declares no options. */
  readonly parameters: JsonObject | null
  /**
   * The fields of a host's report that the part reads. If the fields depend on the part's options, these are the fields that it reads with
   * default options.
   */
  readonly reads: readonly string[]
  /** The unit of a weigher's scores. */
  readonly unit: string | null
  /** For a namespace, the form of its documents. Null for any other part. */
  readonly document: DocumentForm | null
}

/** Describes the documents of a namespace: their version, schema and maximum age, and the units of their fields. */
export interface DocumentForm {
  readonly version: string
  /** The JSON Schema of the documents. */
  readonly schema: JsonObject
  readonly maxAgeSeconds: number
  readonly units: readonly { readonly field: string; readonly unit: string }[]
}

export interface Plugins {
  /** The plug-ins in the order of the configuration. */
  list(): readonly PluginView[]
  /** Finds the filter or weigher with this name. */
  find(part: string): Listed | undefined
}

export function createPlugins(loaded: readonly LoadedPlugin[]): Plugins {
  const parts = new Map<string, Listed>(
    loaded.flatMap(({ plugin: { filters, weighers } }) => [...filters, ...weighers].map((part) => [part.name, part] as const)),
  )
  const known = loaded.map((one) => ({ ...one, parts: partsIn(one.plugin).map(aboutPart) }))
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

/** A filter or a weigher, which profiles list. */
type Listed = Plugin['filters'][number] | Plugin['weighers'][number]

function aboutPart({ list, part }: { readonly list: PartList; readonly part: Parts[PartList] }): PluginPart {
  const { name, description } = part
  return {
    ...{ kind: partKinds[list].kind, name, description },
    parameters: ('parameters' in part && part.parameters ? jsonSchemaOf(part.parameters) : null) as JsonObject | null,
    reads: 'reads' in part ? readsOf(part.reads, {}) : [],
    unit: 'unit' in part ? part.unit : null,
    document: 'document' in part ? formOf(part) : null,
  }
}

const formOf = ({ version, document, maxAgeSeconds, units = {} }: PluginNamespace): DocumentForm => ({
  ...{ version, maxAgeSeconds },
  schema: jsonSchemaOf(document) as JsonObject,
  units: Object.entries(units).map(([field, unit]) => ({ field, unit })),
})
