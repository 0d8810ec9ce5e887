import {
  type Filter,
  type Fleet,
  fitFilters,
  type JsonObject,
  jsonSchemaOf,
  type MetadataRead,
  metadataReadsOf,
  nameableParts,
  type PluginRef,
  type Profile,
  pluginsOf,
  readsOf,
  type Weigher,
} from '@gantt/scheduler-core'

export const profilePartKinds = ['FILTER', 'WEIGHER', 'SCHEDULER'] as const

/** The description of a filter, weigher or scheduler that profiles may name. */
export interface ProfilePart {
  readonly kind: (typeof profilePartKinds)[number]
  readonly name: string
  readonly description: string
  /** The options of the part, as JSON Schema; null if the part declares no options. */
  readonly parameters: JsonObject | null
  readonly takesOptions: boolean
  /** True for a filter that can run in shadow mode, where it refuses no host. */
  readonly mayShadow: boolean
  /** The unit of a weigher's scores. */
  readonly unit: string | null
  /**
   * The fields of a host's report that the part reads. If the fields depend on the part's options, these are the fields that it reads with
   * default options.
   */
  readonly reads: readonly string[]
  /** The metadata keys of aggregates that the part can read. */
  readonly readsMetadata: readonly MetadataRead[]
  /** The plug-in that contains the part; null for a part of the release. */
  readonly plugin: PluginRef | null
}

/** The schedulers of the release: ways to select among the hosts that passed. */
export const ownSchedulers = {
  filter: 'The best host that passes.',
  chance: 'Any host that passes.',
  solver: 'The best arrangement of all instances together.',
} as const

/**
 * The parts that a profile may name in this service: filters, then weighers, then schedulers. Of each kind, the parts of plug-ins come
 * last.
 */
export function profilePartsOf(fleet: Pick<Fleet, 'plugins'>, compat: Profile['compat']): readonly ProfilePart[] {
  const plugins = pluginsOf(fleet)
  const { filters, weighers } = nameableParts(compat, plugins)
  const ownerOf = (name: string): PluginRef | null => plugins.ownerOf(name) ?? null
  const listed = (part: Filter | Weigher) => ({
    ...{ name: part.name, description: part.description },
    parameters: (part.parameters === undefined ? null : (jsonSchemaOf(part.parameters) ?? null)) as JsonObject | null,
    takesOptions: part.parameters !== undefined || part.checkOptions !== undefined,
    reads: readsOf(part.reads, {}),
    readsMetadata: metadataReadsOf(part.readsMetadata),
    plugin: ownerOf(part.name),
  })
  const scheduler = {
    kind: 'SCHEDULER',
    parameters: null,
    takesOptions: false,
    mayShadow: false,
    unit: null,
    reads: [],
    readsMetadata: [],
  } as const
  const own = Object.entries(ownSchedulers).map(([name, description]) => ({ ...scheduler, name, description, plugin: null }))
  const others = plugins.schedulers.map(({ name, description }) => ({ ...scheduler, name, description, plugin: ownerOf(name) }))
  return [
    ...filters.map((filter) => ({ ...listed(filter), kind: 'FILTER' as const, mayShadow: mayShadow(filter), unit: null })),
    ...weighers.map((weigher) => ({ ...listed(weigher), kind: 'WEIGHER' as const, mayShadow: false, unit: weigher.unit })),
    // profiles with Nova's rules can name no scheduler but `filter`
    ...[...own, ...others].filter(({ name }) => compat === undefined || name === 'filter'),
  ]
}

const mayShadow = (filter: Filter): boolean => filter.outside === undefined && !fitFilters.includes(filter)
