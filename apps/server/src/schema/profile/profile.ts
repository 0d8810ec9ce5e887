import { isOwnScheduler, profileRef } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'
import { momentArg } from '../types/common.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { FieldChange } from '../types/field-change.ts'
import { idOf } from '../types/ids.ts'
import { Profile, ProfileVersion } from '../types/refs.ts'
import {
  FilterSetting,
  Normalisation,
  NovaSettings,
  ProfileCompat,
  ResourceKindName,
  SchedulerKind,
  SolverSettings,
  TieOrder,
  WeigherSetting,
} from './profile-settings.ts'
import { Rollout } from './rollout.ts'

const ProfileState = builder.enumType('ProfileState', {
  description:
    'DRAFT: written, and never decided as far as is known; SHADOW, CANARY: being tried; ACTIVE: decides; RETIRED: decided before; ROLLED_BACK: was rolled back.',
  values: ['DRAFT', 'SHADOW', 'CANARY', 'ACTIVE', 'RETIRED', 'ROLLED_BACK'] as const,
})

builder.node(ProfileVersion, {
  description: 'How a service decides, as data. Versions are never edited: a change is a new version.',
  id: { resolve: profileRef, description: 'Global id of the object.' },
  loadOne: (ref, { profiles }) => profiles.version(ref),
  fields: (t) => ({
    profileName: t.exposeString('name', { description: 'Name of the profile.' }),
    number: t.exposeInt('number', { description: '0: of the release; 1 and up: written by operators.' }),
    note: t.exposeString('note', { nullable: true, description: 'The description that its author gave.' }),
    filters: t.field({
      type: [FilterSetting],
      description: 'Filters in the order in which they run.',
      resolve: ({ filters: list }) => list.map((filter, order) => ({ ...filter, order })),
    }),
    weighers: t.field({
      type: [WeigherSetting],
      description: 'Weighers in the order in which they run.',
      resolve: ({ weighers: list }) => list,
    }),
    hostSubsetSize: t.exposeInt('hostSubsetSize', { description: 'One of this many best hosts is chosen.' }),
    normalisation: t.expose('normalisation', { type: Normalisation, description: 'The normalisation of raw numbers.' }),
    tieOrder: t.expose('tieOrder', { type: TieOrder, description: 'The order of hosts with equal totals.' }),
    scheduler: t.field({
      type: SchedulerKind,
      description: 'How one of the hosts is chosen.',
      resolve: ({ scheduler }) => (isOwnScheduler(scheduler) ? scheduler : 'plugin'),
    }),
    schedulerName: t.exposeString('scheduler', {
      description: "The scheduler: filter, chance, solver, or the name of a plug-in's scheduler.",
    }),
    collects: t.field({
      type: [ResourceKindName],
      nullable: true,
      description: 'The kinds of resources that its requests may use, and that hosts therefore must report; null: all.',
      resolve: ({ collects }) => collects ?? null,
    }),
    assignment: t.expose('assignment', { type: 'JSON', description: 'The assignment rules inside a host, by resource kind.' }),
    compat: t.expose('compat', { type: ProfileCompat, nullable: true, description: "Null: the service's own rules." }),
    solver: t.expose('solver', { type: SolverSettings, nullable: true, description: "The solver's limits, with SOLVER; null if absent." }),
    nova: t.expose('nova', { type: NovaSettings, nullable: true, description: "Nova's settings, with compat NOVA; null if absent." }),
    state: t.field({
      type: ProfileState,
      description: 'The present state.',
      resolve: (version, _args, { profiles }) => profiles.stateOf(version),
    }),
    diff: t.field({
      type: [FieldChange],
      description: 'The differences from another version: parts by their names.',
      args: { against: t.arg.id({ description: 'The global id, or name@number; the active version of the same name by default.' }) },
      resolve: (version, { against }, { profiles }) =>
        profiles.diff(version, against ? idOf('ProfileVersion', against, ['against']) : null),
    }),
  }),
})

const ProfileVersionConnection = connectionOf('ProfileVersion', ProfileVersion)

builder.node(Profile, {
  description: 'A profile with its versions.',
  id: { resolve: ({ name }) => name, description: 'Global id of the object.' },
  loadOne: (name, { profiles }) => profiles.find(name),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in calls.' }),
    active: t.expose('active', { type: ProfileVersion, description: 'The version that decides.' }),
    standing: t.exposeString('standing', {
      description:
        'A text that changes with every step of a rollout; pass it as ifStanding, so that no unseen step of another operator is undone.',
    }),
    latest: t.field({
      type: ProfileVersion,
      description: 'The version that was written last; a draft becomes the next one.',
      resolve: ({ active, versions }) => versions.at(-1) ?? active,
    }),
    rollout: t.expose('rollout', { type: Rollout, nullable: true, description: 'The version that is being tried; null if there is none.' }),
    versions: t.field({
      type: ProfileVersionConnection,
      description: 'Versions of the profile, oldest first.',
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
    args: { name: t.arg.string({ required: true, description: 'Name of the profile.' }), ...momentArg() },
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
