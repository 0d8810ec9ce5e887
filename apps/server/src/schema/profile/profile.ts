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
    'The state of a profile version. DRAFT: created; no decision by this version is known. SHADOW and CANARY: tried in a rollout. ACTIVE: decides requests. RETIRED: decided requests before. ROLLED_BACK: an operator went back to an earlier version.',
  values: ['DRAFT', 'SHADOW', 'CANARY', 'ACTIVE', 'RETIRED', 'ROLLED_BACK'] as const,
})

builder.node(ProfileVersion, {
  description: 'How to decide requests, as data. A version is never edited. Every change creates a new version.',
  id: { resolve: profileRef, description: 'Global id of the object.' },
  loadOne: (ref, { profiles }) => profiles.version(ref),
  fields: (t) => ({
    profileName: t.exposeString('name', { description: 'Name of the profile.' }),
    number: t.exposeInt('number', { description: 'The number of the version. 0: part of the release. 1 and up: created by operators.' }),
    note: t.exposeString('note', { nullable: true, description: 'The description that the author gave; null if there is none.' }),
    filters: t.field({
      type: [FilterSetting],
      description:
        'The filters, in the order of the profile. Filters in this process run in this order; filters outside of the process run after them.',
      resolve: ({ filters: list }) => list.map((filter, order) => ({ ...filter, order })),
    }),
    weighers: t.field({
      type: [WeigherSetting],
      description: 'The weighers, in the order in which they run.',
      resolve: ({ weighers: list }) => list,
    }),
    hostSubsetSize: t.exposeInt('hostSubsetSize', { description: 'The host is chosen at random among this many best hosts.' }),
    normalisation: t.expose('normalisation', { type: Normalisation, description: 'How the raw values of weighers are normalised.' }),
    tieOrder: t.expose('tieOrder', { type: TieOrder, description: 'How hosts with the same total score are ordered.' }),
    scheduler: t.field({
      type: SchedulerKind,
      description: 'The kind of scheduler that chooses among the passing hosts.',
      resolve: ({ scheduler }) => (isOwnScheduler(scheduler) ? scheduler : 'plugin'),
    }),
    schedulerName: t.exposeString('scheduler', {
      description: "The name of the scheduler: filter, chance, solver, or the name of a plug-in's scheduler.",
    }),
    collects: t.field({
      type: [ResourceKindName],
      nullable: true,
      description: 'The kinds of resources that requests with this profile may use, and that hosts must therefore report; null: all kinds.',
      resolve: ({ collects }) => collects ?? null,
    }),
    assignment: t.expose('assignment', { type: 'JSON', description: 'How resources inside a host are chosen, by resource kind.' }),
    compat: t.expose('compat', {
      type: ProfileCompat,
      nullable: true,
      description: "NOVA if the profile follows Nova's rules; null if it follows this service's own rules.",
    }),
    solver: t.expose('solver', {
      type: SolverSettings,
      nullable: true,
      description: 'The limits of the solver; null unless the scheduler is SOLVER and the version has them.',
    }),
    nova: t.expose('nova', {
      type: NovaSettings,
      nullable: true,
      description: "Further settings from Nova's configuration; null unless `compat` is NOVA and the version has them.",
    }),
    state: t.field({
      type: ProfileState,
      description: 'The present state of the version.',
      resolve: (version, _args, { profiles }) => profiles.stateOf(version),
    }),
    diff: t.field({
      type: [FieldChange],
      description: 'The differences from another version. Filters and weighers are compared by name.',
      args: {
        against: t.arg.id({
          description: 'The version to compare with, as global id or name@number; by default the active version of the same profile.',
        }),
      },
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
    name: t.exposeString('name', { description: 'The name of the profile, which calls use.' }),
    active: t.expose('active', { type: ProfileVersion, description: 'The version that decides requests.' }),
    standing: t.exposeString('standing', {
      description:
        'A text that changes with every step of a rollout. Pass it as `ifStanding`, so that a call is refused if another operator has made a step in the meantime.',
    }),
    latest: t.field({
      type: ProfileVersion,
      description: 'The version that was created last. The next version gets the next number.',
      resolve: ({ active, versions }) => versions.at(-1) ?? active,
    }),
    rollout: t.expose('rollout', {
      type: Rollout,
      nullable: true,
      description: 'The version that is being tried; null if no version is being tried.',
    }),
    versions: t.field({
      type: ProfileVersionConnection,
      description: 'The versions of the profile, oldest first.',
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
    description: 'A profile; null if no profile has this name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the profile.' }), ...momentArg() },
    resolve: async (_root, { name, at }, { profiles, fleetAt }) => profiles.find(name, await fleetAt(at)),
  }),
  profiles: t.field({
    type: [Profile],
    authScopes: { scope: 'READ' },
    description: 'All profiles, sorted by name.',
    args: momentArg(),
    resolve: async (_root, { at }, { profiles, fleetAt }) => profiles.list(await fleetAt(at)),
  }),
}))
