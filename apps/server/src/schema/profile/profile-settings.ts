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

/** Parts that only profiles with compat: nova may name come first, so that other parts with the same name replace them. */
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
  description: 'A filter of a profile.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Nova's name where Nova has it." }),
    order: t.exposeInt('order', { description: 'Position of the filter in the profile.' }),
    shadow: t.boolean({
      description: 'True: it refuses no host, but explanations show what it would refuse.',
      resolve: ({ shadow }) => shadow === true,
    }),
    options: t.expose('options', { type: 'JSON', description: 'Options of the filter.' }),
    description: t.string({
      description: 'What a host must have to pass.',
      resolve: (part, _args, context) => descriptionOf(part, context),
    }),
    reads: t.stringList({
      description: "The fields of a host's report that it reads.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

export const WeigherSetting = builder.objectRef<ProfileShape['weighers'][number]>('WeigherSetting').implement({
  description: 'A weigher of a profile.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Nova's name where Nova has it." }),
    multiplier: t.exposeFloat('multiplier', { description: 'The multiplier of its normalised number.' }),
    options: t.expose('options', { type: 'JSON', description: 'Options of the weigher.' }),
    description: t.string({
      description: 'Description of the hosts that it prefers.',
      resolve: (part, _args, context) => descriptionOf(part, context),
    }),
    reads: t.stringList({
      description: "The fields of a host's report that it reads.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

export const Normalisation = builder.enumType('Normalisation', {
  description: 'MINMAX: scaled over the hosts that passed; FIXED: raw numbers unchanged; RANK: the share of hosts with a lower number.',
  values: { MINMAX: { value: 'minmax' }, FIXED: { value: 'fixed' }, RANK: { value: 'rank' } } as const,
})

export const TieOrder = builder.enumType('TieOrder', {
  description: 'The order of hosts with equal totals.',
  values: { FIRST_SEEN: { value: 'first-seen' }, SEEDED: { value: 'seeded' } } as const,
})

export const SchedulerKind = builder.enumType('SchedulerKind', {
  description:
    "FILTER: the best host that passes; CHANCE: any host that passes; SOLVER: the best arrangement of all instances together; PLUGIN: by a plug-in's scheduler, which schedulerName names.",
  values: { FILTER: { value: 'filter' }, CHANCE: { value: 'chance' }, SOLVER: { value: 'solver' }, PLUGIN: { value: 'plugin' } } as const,
})

export const SolverSettings = builder.objectRef<NonNullable<ProfileShape['solver']>>('SolverSettings').implement({
  description: "The limits of the solver's search.",
  fields: (t) => ({
    timeLimitMs: t.exposeInt('timeLimitMs', { description: 'The search ends after this many milliseconds.' }),
    nodeLimit: t.exposeInt('nodeLimit', { description: 'The search ends after this many branches.' }),
    gap: t.exposeFloat('gap', { description: 'The search ends when no arrangement can be better by more than this share.' }),
    candidates: t.exposeInt('candidates', { description: 'The number of considered hosts per kind of instances.' }),
  }),
})

export const ProfileCompat = builder.enumType('ProfileCompat', {
  description: "NOVA: Nova's own filters, weighers and placement order, including their peculiarities.",
  values: { NOVA: { value: 'nova' } } as const,
})

const placementText = (rule: keyof PlacementRules): string => placementSchema.shape[rule].description ?? ''

const PlacementSettings = builder.objectRef<PlacementRules>('PlacementSettings').implement({
  description: "Placement's checks before Nova's filters.",
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
  description: "Other settings of Nova's configuration.",
  fields: (t) => ({
    maxAttempts: t.exposeInt('maxAttempts', { description: 'The maximum number of a chosen host and its alternates.' }),
    packing: t.exposeBoolean('packing', { description: 'True: the fullest NUMA cells of a host are tried first.' }),
    shuffleBest: t.exposeBoolean('shuffleBest', { description: 'True: hosts with the best total are shuffled, by the seed.' }),
    placement: t.field({
      type: PlacementSettings,
      nullable: true,
      description: "Placement's checks; null: Nova's defaults.",
      resolve: ({ placement }) => placement ?? null,
    }),
  }),
})

export const ResourceKindName = builder.enumType('ResourceKindName', {
  description:
    'CLASSES: CPUs, memory, disk and every other amount; NUMA: cells; GPU: GPUs; PCI: devices; POOLS: disk space that hosts share.',
  values: {
    CLASSES: { value: 'classes' },
    NUMA: { value: 'numa' },
    GPU: { value: 'gpu' },
    PCI: { value: 'pci' },
    POOLS: { value: 'pools' },
  } as const,
})
