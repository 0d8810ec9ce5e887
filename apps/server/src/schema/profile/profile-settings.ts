import {
  filters,
  type PlacementRules,
  type Profile as ProfileShape,
  placementSchema,
  type Reads,
  readsOf,
  weighers,
} from '@gantt/scheduler-core'
import { novaFilters, novaWeighers } from '@gantt/scheduler-core/nova'
import { builder } from '../builder.ts'
import type { Context } from '../context.ts'

/**
 * The description of each filter and weigher, by its name. If one of Nova's filters or weighers has the same name as a filter or weigher of
 * this service, the description is that of this service's part.
 */
const descriptions: ReadonlyMap<string, string> = new Map(
  [...novaFilters, ...novaWeighers, ...filters, ...weighers].map(({ name, description }) => [name, description]),
)

const reads: ReadonlyMap<string, Reads> = new Map(
  [...novaFilters, ...novaWeighers, ...filters, ...weighers].map((part) => [part.name, part.reads]),
)

const partOf = ({ plugins }: Context, name: string) => plugins.find(name)

const readsBy = ({ name, options }: { readonly name: string; readonly options: Readonly<Record<string, unknown>> }, context: Context) => [
  ...readsOf(reads.get(name) ?? partOf(context, name)?.reads ?? [], options),
]

const descriptionOf = ({ name }: { readonly name: string }, context: Context) =>
  descriptions.get(name) ?? partOf(context, name)?.description ?? ''

export const FilterSetting = builder.objectRef<ProfileShape['filters'][number] & { readonly order: number }>('FilterSetting').implement({
  description: 'A filter of a profile, with its settings.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "The name of the filter. Nova's filters have the same name as in Nova." }),
    order: t.exposeInt('order', { description: 'The position of the filter in the profile.' }),
    shadow: t.boolean({
      description: 'True if the filter is in shadow mode. It then refuses no host, but explanations show which hosts it would refuse.',
      resolve: ({ shadow }) => shadow === true,
    }),
    options: t.expose('options', { type: 'JSON', description: 'Options of the filter.' }),
    description: t.string({
      description: 'What a host must have to pass the filter.',
      resolve: (part, _args, context) => descriptionOf(part, context),
    }),
    reads: t.stringList({
      description: "The fields of a host's report that the filter reads.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

export const WeigherSetting = builder.objectRef<ProfileShape['weighers'][number]>('WeigherSetting').implement({
  description: 'A weigher of a profile, with its settings.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "The name of the weigher. Nova's weighers have the same name as in Nova." }),
    multiplier: t.exposeFloat('multiplier', { description: 'The factor by which the normalised value is multiplied.' }),
    options: t.expose('options', { type: 'JSON', description: 'Options of the weigher.' }),
    description: t.string({
      description: 'Which hosts the weigher prefers.',
      resolve: (part, _args, context) => descriptionOf(part, context),
    }),
    reads: t.stringList({
      description: "The fields of a host's report that the weigher reads.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

export const Normalisation = builder.enumType('Normalisation', {
  description:
    'How the raw values of a weigher are normalised. MINMAX: scaled over the hosts that passed. FIXED: raw values unchanged. RANK: the share of hosts with a lower value.',
  values: { MINMAX: { value: 'minmax' }, FIXED: { value: 'fixed' }, RANK: { value: 'rank' } } as const,
})

export const TieOrder = builder.enumType('TieOrder', {
  description:
    "How hosts with the same total score are ordered. FIRST_SEEN: in the order in which they first reported. SEEDED: shuffled by the decision's seed.",
  values: { FIRST_SEEN: { value: 'first-seen' }, SEEDED: { value: 'seeded' } } as const,
})

export const SchedulerKind = builder.enumType('SchedulerKind', {
  description:
    "How a scheduler chooses. FILTER: the best host that passes. CHANCE: any host that passes. SOLVER: the best arrangement of all instances together. PLUGIN: by the plug-in's scheduler that `schedulerName` names.",
  values: { FILTER: { value: 'filter' }, CHANCE: { value: 'chance' }, SOLVER: { value: 'solver' }, PLUGIN: { value: 'plugin' } } as const,
})

export const SolverSettings = builder.objectRef<NonNullable<ProfileShape['solver']>>('SolverSettings').implement({
  description: "The limits of the solver's search.",
  fields: (t) => ({
    timeLimitMs: t.exposeInt('timeLimitMs', { description: 'The search ends after this many milliseconds.' }),
    nodeLimit: t.exposeInt('nodeLimit', { description: 'The search ends after this many branches.' }),
    gap: t.exposeFloat('gap', { description: 'The search ends when no arrangement can be better by more than this share.' }),
    candidates: t.exposeInt('candidates', { description: 'How many hosts are considered for each kind of instances.' }),
  }),
})

export const ProfileCompat = builder.enumType('ProfileCompat', {
  description: "NOVA: the profile uses Nova's own filters, weighers and order of placement, including their peculiarities.",
  values: { NOVA: { value: 'nova' } } as const,
})

const placementText = (rule: keyof PlacementRules): string => placementSchema.shape[rule].description ?? ''

const PlacementSettings = builder.objectRef<PlacementRules>('PlacementSettings').implement({
  description: "The checks of Nova's Placement service that run before Nova's filters.",
  fields: (t) => ({
    availabilityZone: t.exposeBoolean('availabilityZone', { description: placementText('availabilityZone') }),
    defaultAvailabilityZone: t.exposeString('defaultAvailabilityZone', { description: placementText('defaultAvailabilityZone') }),
    limitTenants: t.exposeBoolean('limitTenants', { description: placementText('limitTenants') }),
    tenantsNeedAggregate: t.exposeBoolean('tenantsNeedAggregate', { description: placementText('tenantsNeedAggregate') }),
    isolateAggregates: t.exposeBoolean('isolateAggregates', { description: placementText('isolateAggregates') }),
    imageType: t.exposeBoolean('imageType', { description: placementText('imageType') }),
  }),
})

export const NovaSettings = builder.objectRef<NonNullable<ProfileShape['nova']>>('NovaSettings').implement({
  description: "Further settings from Nova's configuration.",
  fields: (t) => ({
    maxAttempts: t.exposeInt('maxAttempts', { description: 'The chosen host and its alternates together are at most this many hosts.' }),
    packing: t.exposeBoolean('packing', { description: 'True: the fullest NUMA cells of a host are tried first.' }),
    shuffleBest: t.exposeBoolean('shuffleBest', { description: 'True: hosts with the best total score are shuffled by the seed.' }),
    placement: t.field({
      type: PlacementSettings,
      nullable: true,
      description: "The checks that Nova's Placement service makes; null: Nova's defaults.",
      resolve: ({ placement }) => placement ?? null,
    }),
  }),
})

export const ResourceKindName = builder.enumType('ResourceKindName', {
  description:
    'The kinds of resources. CLASSES: CPUs, memory, disk and every other amount. NUMA: cells. GPU: GPUs. PCI: devices. POOLS: disk space that hosts share.',
  values: {
    CLASSES: { value: 'classes' },
    NUMA: { value: 'numa' },
    GPU: { value: 'gpu' },
    PCI: { value: 'pci' },
    POOLS: { value: 'pools' },
  } as const,
})
