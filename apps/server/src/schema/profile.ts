import {
  filters,
  isOwnScheduler,
  type PlacementRules,
  type Profile as ProfileShape,
  profileRef,
  type Reads,
  readsOf,
  weighers,
} from '@gantt/scheduler-core'
import { novaFilters, novaWeighers } from '@gantt/scheduler-core/nova'
import { type Invalid, invalid, issue } from '../services/outcome.ts'
import type { ProfileDone, StepOptions } from '../services/profiles.ts'
import { builder } from './builder.ts'
import { momentArg, withoutNulls } from './common.ts'
import { connectionOf, pageArgs } from './connection.ts'
import type { Context } from './context.ts'
import { NotFound, resultUnion, ValidationError } from './errors.ts'
import { FieldChange } from './field-change.ts'
import { idOf } from './ids.ts'
import { Profile, ProfileVersion } from './refs.ts'
import { Rollout, RolloutMode } from './rollout.ts'

/** Those of Nova that only profiles with its way of deciding may name, then all others. */
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

const FilterSetting = builder.objectRef<ProfileShape['filters'][number] & { readonly order: number }>('FilterSetting').implement({
  description: 'A filter of a profile.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Nova's name where Nova has it." }),
    order: t.exposeInt('order', { description: 'Its place.' }),
    shadow: t.boolean({
      description: 'True: it refuses nobody; explanations tell whom it would refuse.',
      resolve: ({ shadow }) => shadow === true,
    }),
    options: t.expose('options', { type: 'JSON', description: 'Its options.' }),
    description: t.string({
      description: 'What a host must have to pass.',
      resolve: (part, _args, context) => descriptionOf(part, context),
    }),
    reads: t.stringList({
      description: "Fields of a host's report that it looks at.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

const WeigherSetting = builder.objectRef<ProfileShape['weighers'][number]>('WeigherSetting').implement({
  description: 'A weigher of a profile.',
  fields: (t) => ({
    name: t.exposeString('name', { description: "Nova's name where Nova has it." }),
    multiplier: t.exposeFloat('multiplier', { description: 'Of its normalised number.' }),
    options: t.expose('options', { type: 'JSON', description: 'Its options.' }),
    description: t.string({ description: 'What it prefers.', resolve: (part, _args, context) => descriptionOf(part, context) }),
    reads: t.stringList({
      description: "Fields of a host's report that it looks at.",
      resolve: (part, _args, context) => readsBy(part, context),
    }),
  }),
})

const Normalisation = builder.enumType('Normalisation', {
  description: 'MINMAX: over the hosts that passed; FIXED: raw numbers as they are; RANK: share of hosts with a lower one.',
  values: { MINMAX: { value: 'minmax' }, FIXED: { value: 'fixed' }, RANK: { value: 'rank' } } as const,
})

const TieOrder = builder.enumType('TieOrder', {
  description: 'Order of hosts with equal scores.',
  values: { FIRST_SEEN: { value: 'first-seen' }, SEEDED: { value: 'seeded' } } as const,
})

const SchedulerKind = builder.enumType('SchedulerKind', {
  description:
    'FILTER: the best host that passes; CHANCE: any host that passes; SOLVER: the best arrangement of all instances together; PLUGIN: by a scheduler of a plug-in, which schedulerName names.',
  values: { FILTER: { value: 'filter' }, CHANCE: { value: 'chance' }, SOLVER: { value: 'solver' }, PLUGIN: { value: 'plugin' } } as const,
})

const SolverSettings = builder.objectRef<NonNullable<ProfileShape['solver']>>('SolverSettings').implement({
  description: 'How hard the solver looks for the best arrangement.',
  fields: (t) => ({
    timeLimitMs: t.exposeInt('timeLimitMs', { description: 'It ends after so many milliseconds.' }),
    nodeLimit: t.exposeInt('nodeLimit', { description: 'It ends after so many branches.' }),
    gap: t.exposeFloat('gap', { description: 'It ends when no arrangement can be better by more than this share.' }),
    candidates: t.exposeInt('candidates', { description: 'Hosts that are looked at per kind of instances.' }),
  }),
})

export const ProfileCompat = builder.enumType('ProfileCompat', {
  description: "NOVA: Nova's own filters, weighers and way of placing, its surprises included.",
  values: { NOVA: { value: 'nova' } } as const,
})

/** What each rule means, for what is told and what is given. */
const placementTexts = {
  availabilityZone: 'False: zones are AvailabilityZoneFilter alone.',
  defaultAvailabilityZone: 'The zone of hosts that no aggregate puts into one.',
  limitTenants: 'True: projects that aggregates name under filter_tenant_id get hosts of those alone.',
  tenantsNeedAggregate: 'True, with limitTenants: other projects get no host.',
  isolateAggregates: 'True: aggregates with trait:NAME = required are kept for requests that require the trait.',
  imageType: "True: hosts need the trait of the image's disk format, COMPUTE_IMAGE_TYPE_...",
} as const

const PlacementSettings = builder.objectRef<PlacementRules>('PlacementSettings').implement({
  description: 'What Nova has Placement decide before its filters are asked.',
  fields: (t) => ({
    availabilityZone: t.exposeBoolean('availabilityZone', { description: placementTexts.availabilityZone }),
    defaultAvailabilityZone: t.exposeString('defaultAvailabilityZone', { description: placementTexts.defaultAvailabilityZone }),
    limitTenants: t.exposeBoolean('limitTenants', { description: placementTexts.limitTenants }),
    tenantsNeedAggregate: t.exposeBoolean('tenantsNeedAggregate', { description: placementTexts.tenantsNeedAggregate }),
    isolateAggregates: t.exposeBoolean('isolateAggregates', { description: placementTexts.isolateAggregates }),
    imageType: t.exposeBoolean('imageType', { description: placementTexts.imageType }),
  }),
})

const NovaSettings = builder.objectRef<NonNullable<ProfileShape['nova']>>('NovaSettings').implement({
  description: "What else of Nova's configuration counts.",
  fields: (t) => ({
    maxAttempts: t.exposeInt('maxAttempts', { description: 'A chosen host and its alternates are at most so many.' }),
    packing: t.exposeBoolean('packing', { description: 'True: the fullest NUMA cells of a host are tried first.' }),
    shuffleBest: t.exposeBoolean('shuffleBest', { description: 'True: hosts as good as the best are shuffled, by the seed.' }),
    placement: t.field({
      type: PlacementSettings,
      nullable: true,
      description: 'What Placement decides; null: as Nova has it by default.',
      resolve: ({ placement }) => placement ?? null,
    }),
  }),
})

const ResourceKindName = builder.enumType('ResourceKindName', {
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

const ProfileState = builder.enumType('ProfileState', {
  description:
    'DRAFT: written, and never decided as far as is known; SHADOW, CANARY: tried at present; ACTIVE: decides; RETIRED: decided before; ROLLED_BACK: was taken back.',
  values: ['DRAFT', 'SHADOW', 'CANARY', 'ACTIVE', 'RETIRED', 'ROLLED_BACK'] as const,
})

builder.node(ProfileVersion, {
  description: 'How a service decides, as data. Versions are never edited: a change is the next version.',
  id: { resolve: profileRef, description: 'Global id.' },
  loadOne: (ref, { profiles }) => profiles.version(ref),
  fields: (t) => ({
    profileName: t.exposeString('name', { description: 'Its name.' }),
    number: t.exposeInt('number', { description: '0: of the release; 1 and up: written by operators.' }),
    note: t.exposeString('note', { nullable: true, description: 'What it is for.' }),
    filters: t.field({
      type: [FilterSetting],
      description: 'In order.',
      resolve: ({ filters: list }) => list.map((filter, order) => ({ ...filter, order })),
    }),
    weighers: t.field({ type: [WeigherSetting], description: 'In order.', resolve: ({ weighers: list }) => list }),
    hostSubsetSize: t.exposeInt('hostSubsetSize', { description: 'One of this many best hosts is taken.' }),
    normalisation: t.expose('normalisation', { type: Normalisation, description: 'How raw numbers are scaled.' }),
    tieOrder: t.expose('tieOrder', { type: TieOrder, description: 'Order of hosts with equal scores.' }),
    scheduler: t.field({
      type: SchedulerKind,
      description: 'How one of the hosts is taken.',
      resolve: ({ scheduler }) => (isOwnScheduler(scheduler) ? scheduler : 'plugin'),
    }),
    schedulerName: t.exposeString('scheduler', {
      description: 'The scheduler: filter, chance, solver, or the name that a plug-in gives its own.',
    }),
    collects: t.field({
      type: [ResourceKindName],
      nullable: true,
      description: 'Kinds of resource that its requests may ask, so that hosts are to report them; null: all.',
      resolve: ({ collects }) => collects ?? null,
    }),
    assignment: t.expose('assignment', { type: 'JSON', description: 'Choice inside a host, by resource kind.' }),
    compat: t.expose('compat', { type: ProfileCompat, nullable: true, description: 'Null: this service decides its own way.' }),
    solver: t.expose('solver', { type: SolverSettings, nullable: true, description: 'With SOLVER; null where nothing was said.' }),
    nova: t.expose('nova', { type: NovaSettings, nullable: true, description: 'With compat NOVA; null where nothing was said.' }),
    state: t.field({
      type: ProfileState,
      description: 'What it is at present.',
      resolve: (version, _args, { profiles }) => profiles.stateOf(version),
    }),
    diff: t.field({
      type: [FieldChange],
      description: 'What differs from another version: parts by their names.',
      args: { against: t.arg.id({ description: 'Its global id, or name@number; the active version of the same name if not given.' }) },
      resolve: (version, { against }, { profiles }) =>
        profiles.diff(version, against ? idOf('ProfileVersion', against, ['against']) : null),
    }),
  }),
})

const ProfileVersionConnection = connectionOf('ProfileVersion', ProfileVersion)

builder.node(Profile, {
  description: 'A way to decide, by its name.',
  id: { resolve: ({ name }) => name, description: 'Global id.' },
  loadOne: (name, { profiles }) => profiles.find(name),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'As calls name it.' }),
    active: t.expose('active', { type: ProfileVersion, description: 'The version that decides.' }),
    standing: t.exposeString('standing', {
      description: 'Another text after every step of a rollout; give it as ifStanding, and nobody else’s step is undone unseen.',
    }),
    latest: t.field({
      type: ProfileVersion,
      description: 'The version that was written last: a draft is of the one after it.',
      resolve: ({ active, versions }) => versions.at(-1) ?? active,
    }),
    rollout: t.expose('rollout', { type: Rollout, nullable: true, description: 'The version that is being tried; null when none is.' }),
    versions: t.field({
      type: ProfileVersionConnection,
      description: 'Oldest first.',
      args: pageArgs(20),
      resolve: (profile, page, { profiles }) => profiles.versionsOf(profile, page),
    }),
  }),
})

builder.queryFields((t) => ({
  profile: t.field({
    type: Profile,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when there is none.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...momentArg() },
    resolve: async (_root, { name, at }, { profiles, fleetAt }) => profiles.find(name, await fleetAt(at)),
  }),
  profiles: t.field({
    type: [Profile],
    authScopes: { scope: 'READ' },
    description: 'All profiles, by name.',
    args: momentArg(),
    resolve: async (_root, { at }, { profiles, fleetAt }) => profiles.list(await fleetAt(at)),
  }),
}))

const FilterSettingInput = builder.inputType('FilterSettingInput', {
  description: 'A filter of a profile.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The filter.' }),
    enabled: t.boolean({ defaultValue: true, description: 'False: left out.' }),
    shadow: t.boolean({
      description: 'True: it refuses nobody; explanations tell whom it would refuse. Not for what every claim has to keep.',
    }),
    options: t.field({ type: 'JSON', description: 'Its options, an object.' }),
  }),
})

const WeigherSettingInput = builder.inputType('WeigherSettingInput', {
  description: 'A weigher of a profile.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The weigher.' }),
    enabled: t.boolean({ defaultValue: true, description: 'False: left out.' }),
    multiplier: t.float({ required: true, description: 'Of its normalised number; negative turns it around.' }),
    options: t.field({ type: 'JSON', description: 'Its options, an object.' }),
  }),
})

const AssignmentRuleInput = builder.inputType('AssignmentRuleInput', {
  description: 'How something inside a host is chosen.',
  fields: (t) => ({
    rule: t.string({ required: true, description: 'The rule, e.g. emptiest.' }),
    options: t.field({ type: 'JSON', description: 'Its options, an object.' }),
  }),
})

const AssignmentInput = builder.inputType('AssignmentInput', {
  description: 'Choice inside a host, by resource kind.',
  fields: (t) => ({
    classes: t.field({ type: AssignmentRuleInput, description: 'Of resource classes.' }),
    numa: t.field({ type: AssignmentRuleInput, description: 'Of NUMA cells.' }),
    gpu: t.field({ type: AssignmentRuleInput, description: 'Of GPUs.' }),
    pci: t.field({ type: AssignmentRuleInput, description: 'Of PCI devices.' }),
    pools: t.field({ type: AssignmentRuleInput, description: 'Of disk space that hosts share.' }),
  }),
})

const PlacementSettingsInput = builder.inputType('PlacementSettingsInput', {
  description: 'What Nova has Placement decide before its filters are asked.',
  fields: (t) => ({
    availabilityZone: t.boolean({ description: `${placementTexts.availabilityZone} True if not given.` }),
    defaultAvailabilityZone: t.string({ description: `${placementTexts.defaultAvailabilityZone} nova if not given.` }),
    limitTenants: t.boolean({ description: placementTexts.limitTenants }),
    tenantsNeedAggregate: t.boolean({ description: placementTexts.tenantsNeedAggregate }),
    isolateAggregates: t.boolean({ description: placementTexts.isolateAggregates }),
    imageType: t.boolean({ description: placementTexts.imageType }),
  }),
})

const NovaSettingsInput = builder.inputType('NovaSettingsInput', {
  description: "What else of Nova's configuration counts.",
  fields: (t) => ({
    maxAttempts: t.int({ description: 'A chosen host and its alternates are at most so many, 1 to 100; 3 if not given.' }),
    packing: t.boolean({ description: 'True: the fullest NUMA cells of a host are tried first.' }),
    shuffleBest: t.boolean({ description: 'True: hosts as good as the best are shuffled, by the seed.' }),
    placement: t.field({ type: PlacementSettingsInput, description: 'What Placement decides; as Nova has it by default if not given.' }),
  }),
})

const SolverSettingsInput = builder.inputType('SolverSettingsInput', {
  description: 'How hard the solver looks for the best arrangement.',
  fields: (t) => ({
    timeLimitMs: t.int({ description: 'It ends after so many milliseconds, 10 to 30000; 2000 if not given.' }),
    nodeLimit: t.int({ description: 'It ends after so many branches, 1 to 1000000; 10000 if not given.' }),
    gap: t.float({ description: 'It ends when no arrangement can be better by more than this share, 0 to 1; 0.0001 if not given.' }),
    candidates: t.int({ description: 'Hosts that are looked at per kind of instances, 1 to 1000; 100 if not given.' }),
  }),
})

const ProfileVersionInput = builder.inputType('ProfileVersionInput', {
  description: 'The next version of a profile.',
  fields: (t) => ({
    filters: t.field({
      type: [FilterSettingInput],
      required: true,
      description: 'In order. The fit filters run at the end, listed or not.',
    }),
    weighers: t.field({ type: [WeigherSettingInput], required: true, description: 'In order.' }),
    hostSubsetSize: t.int({ defaultValue: 1, description: 'One of this many best hosts is taken.' }),
    normalisation: t.field({ type: Normalisation, description: 'MINMAX if not given.' }),
    tieOrder: t.field({ type: TieOrder, description: 'FIRST_SEEN if not given.' }),
    scheduler: t.field({ type: SchedulerKind, description: 'FILTER if not given; PLUGIN where schedulerName is.' }),
    schedulerName: t.string({ description: 'A scheduler of a plug-in by its name; in the place of `scheduler`, or beside PLUGIN.' }),
    collects: t.field({
      type: [ResourceKindName],
      description: 'Kinds of resource that its requests may ask; all if not given. Hosts may leave the others out of their reports.',
    }),
    assignment: t.field({ type: AssignmentInput, description: 'Choice inside a host.' }),
    compat: t.field({ type: ProfileCompat, description: 'If not given this service decides its own way.' }),
    solver: t.field({ type: SolverSettingsInput, description: 'With SOLVER.' }),
    nova: t.field({ type: NovaSettingsInput, description: 'With compat NOVA.' }),
    note: t.string({ required: true, description: 'What it is for.' }),
  }),
})

const RolloutInput = builder.inputType('RolloutInput', {
  description: 'How a version is to be tried.',
  fields: (t) => ({
    mode: t.field({ type: RolloutMode, required: true, description: 'How.' }),
    percent: t.float({
      description: 'Of the calls that name no version: 0.01 to 100. All of them for a shadow if not given; a canary needs it.',
    }),
  }),
})

const ProfilePayload = builder.objectRef<ProfileDone>('ProfilePayload').implement({
  description: 'It is as asked, or would be.',
  fields: (t) => ({
    profile: t.expose('profile', { type: Profile, description: 'As it is now.' }),
    version: t.expose('version', { type: ProfileVersion, description: 'The version concerned.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
  }),
})

const ProfileResult = resultUnion('ProfileResult', 'Ends of calls about profiles.', [ProfilePayload, NotFound, ValidationError], {
  done: 'ProfilePayload',
})

const verbatim: ReadonlySet<string> = new Set(['options'])

/** The parts as core reads them; what is not enabled is left out. */
function toParts({
  filters: filterList,
  weighers: weigherList,
  scheduler,
  schedulerName,
  ...rest
}: typeof ProfileVersionInput.$inferInput): Record<string, unknown> {
  const enabled = <Part extends { readonly enabled?: boolean | null | undefined }>(parts: readonly Part[]) =>
    parts.filter((part) => part.enabled !== false).map(({ enabled: _, ...part }) => part)
  return withoutNulls(
    { ...rest, scheduler: schedulerName ?? scheduler, filters: enabled(filterList), weighers: enabled(weigherList) },
    verbatim,
  ) as Record<string, unknown>
}

/** Two schedulers of which only one can decide. */
const twoSchedulers = ({ scheduler, schedulerName }: typeof ProfileVersionInput.$inferInput): Invalid | undefined =>
  schedulerName && scheduler && scheduler !== 'plugin'
    ? invalid([issue(['input', 'scheduler'], scheduler.toUpperCase(), 'be PLUGIN, or left out, where schedulerName names a scheduler')])
    : undefined

const stepOptions = ({
  dryRun,
  ifStanding,
}: {
  dryRun?: boolean | null | undefined
  ifStanding?: string | null | undefined
}): StepOptions => ({
  dryRun: dryRun ?? false,
  ifStanding: ifStanding ?? null,
})

builder.mutationFields((t) => ({
  profileVersionCreate: t.field({
    type: ProfileResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Writes the next version of a profile. It decides once it is activated; the first of a new name does at once.',
    args: {
      profile: t.arg.string({ required: true, description: 'Its name: 1 to 63 lower-case letters, digits and dashes.' }),
      input: t.arg({ type: ProfileVersionInput, required: true, description: 'The version.' }),
      ifLatest: t.arg.int({
        description:
          'Do nothing where the latest version of the name has another number by now (0: none was written): what it was drafted on is not the latest word any more.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell whether it could be written, and what it would say.' }),
    },
    resolve: (_root, { profile, input, ifLatest, dryRun }, { profiles }) =>
      twoSchedulers(input) ?? profiles.create(profile, toParts(input), { ifLatest: ifLatest ?? null, dryRun: dryRun ?? false }),
  }),
  profileActivate: t.field({
    type: ProfileResult,
    authScopes: { scope: 'ADMIN' },
    description: 'Makes a version the one that decides under its name, or tries it beside that one. An activation ends what is tried.',
    args: {
      version: t.arg.id({ required: true, description: 'Its global id, or name@number.' }),
      rollout: t.arg({ type: RolloutInput, description: 'Only try it so; if not given it decides from now on.' }),
      ifStanding: t.arg.string({
        description: 'Do nothing where the standing of the profile is another one by now: what was looked at is what the step is taken on.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell what it would do.' }),
    },
    resolve: (_root, { version, rollout, ...options }, { profiles }) =>
      profiles.activate(
        idOf('ProfileVersion', version, ['version']),
        rollout ? { mode: rollout.mode, percent: rollout.percent ?? null } : null,
        stepOptions(options),
      ),
  }),
  profileRollback: t.field({
    type: ProfileResult,
    authScopes: { scope: 'ADMIN' },
    description:
      'Takes back what is tried; where nothing is, goes back to the version that was active before. Repeated, it goes back further.',
    args: {
      profile: t.arg.string({ required: true, description: 'Its name.' }),
      reason: t.arg.string({ required: true, description: 'Why, for the audit; 1 to 255 characters.' }),
      ifStanding: t.arg.string({
        description: 'Do nothing where the standing of the profile is another one by now: what was looked at is what the step is taken on.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'True: only tell what it would do.' }),
    },
    resolve: (_root, { profile, reason, ...options }, { profiles }) => profiles.rollBack(profile, reason, stepOptions(options)),
  }),
}))
