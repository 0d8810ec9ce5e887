import type { MetadataReader as MetadataReaderShape } from '@gantt/scheduler-core'
import {
  type AggregateDone,
  type AggregateRatioView,
  type MetadataEntry,
  ratiosOf,
  type VersionConflict as VersionConflictShape,
  zoneOf,
} from '../services/aggregates.ts'
import { AggregateReplay } from './aggregate-replay.ts'
import { AggregateWarnings } from './aggregate-warnings.ts'
import { builder } from './builder.ts'
import { ImpactPreview, KeyValueInput, momentArg, OrderDirection } from './common.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'
import { ProfilePartKind } from './profile-part.ts'
import { Aggregate, Host } from './refs.ts'

const MetadataReader = builder.objectRef<MetadataReaderShape>('MetadataReader').implement({
  description: 'A filter or weigher of served profiles that looks at a key of metadata: those that decide calls or are tried.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'FILTER or WEIGHER.' }),
    part: t.exposeString('part', { description: 'Its name.' }),
    key: t.exposeString('key', { description: 'As it says it: the very key, or a pattern with a star at its end.' }),
    by: t.string({
      nullable: true,
      description: 'Of a pattern: what names the keys that it looks at. It may be that nothing names this one.',
      resolve: ({ by }) => by ?? null,
    }),
    profiles: t.stringList({ description: 'The versions that have it, as name@number.', resolve: ({ profiles }) => [...profiles] }),
  }),
})

const AggregateMetadata = builder.objectRef<MetadataEntry>('AggregateMetadata').implement({
  description: 'A key of the metadata of an aggregate.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'The key.' }),
    value: t.exposeString('value', { description: 'The value.' }),
    readers: t.field({
      type: [MetadataReader],
      description: 'Who reads it: those that name the key, then those with a pattern.',
      resolve: ({ readers }) => [...readers],
    }),
    isOwn: t.exposeBoolean('isOwn', {
      description: 'It means something to the service itself, whatever profiles read: the zone of the hosts, or the pool of their disks.',
    }),
    unusedReaders: t.stringList({
      description: 'Where nobody names the key: filters and weighers of this service that do, and that no served profile has.',
      resolve: ({ unusedReaders }) => [...unusedReaders],
    }),
    similarKeys: t.stringList({
      description: 'Where nobody names the key: keys that something of this service names, spelled much like it. Nearest first.',
      resolve: ({ similarKeys }) => [...similarKeys],
    }),
  }),
})

const AggregateRatio = builder.objectRef<AggregateRatioView>('AggregateRatio').implement({
  description: 'An allocation ratio that an aggregate gives its hosts.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'The class.' }),
    ratio: t.exposeFloat('ratio', { description: 'How many times over its hosts give the class away.' }),
    by: t.exposeString('by', { nullable: true, description: 'The account that set it; null where that was not kept.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'When it was set; null where that was not kept.' }),
  }),
})

builder.node(Aggregate, {
  description: 'A set of hosts with metadata; one with the key availability_zone is a zone.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id.' },
  loadOne: (uuid, { aggregates }) => aggregates.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'Its identity.' }),
    name: t.exposeString('name', { description: 'Unique among aggregates.' }),
    availabilityZone: t.string({ nullable: true, description: 'Its metadata key availability_zone.', resolve: zoneOf }),
    metadata: t.field({
      type: [AggregateMetadata],
      description: 'What filters and weighers read.',
      resolve: (aggregate, _args, { aggregates }) => [...aggregates.metadataOf(aggregate)],
    }),
    ratios: t.field({
      type: [AggregateRatio],
      description:
        'The allocation ratios that its metadata gives its hosts, under the keys cpu_allocation_ratio, ram_allocation_ratio and disk_allocation_ratio. Of several aggregates the least counts.',
      resolve: ratiosOf,
    }),
    version: t.exposeInt('version', { description: 'Rises with every edit; give it as ifVersion.' }),
    hostCount: t.int({ description: 'How many member hosts it has.', resolve: ({ hosts }) => hosts.length }),
    hostNames: t.field({ type: ['String'], description: 'Names of its member hosts.', resolve: ({ hosts }) => [...hosts] }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Store time of the last edit.' }),
  }),
})

const AggregateConnection = connectionOf('Aggregate', Aggregate)

builder.objectField(Host, 'aggregates', (t) =>
  t.field({
    type: AggregateConnection,
    description: 'Aggregates that it is in.',
    args: pageArgs(),
    resolve: (host, page, { aggregates }) => aggregates.of(host, page),
  }),
)

const AggregateOrderField = builder.enumType('AggregateOrderField', {
  description: 'What aggregates can be ordered by.',
  values: {
    NAME: { value: 'name', description: 'Code unit by code unit.' },
    ZONE: { value: 'zone', description: 'Their availability zone; none comes before all others.' },
    HOSTS: { value: 'hosts', description: 'How many hosts are in them.' },
    VERSION: { value: 'version', description: 'How often they were edited.' },
    UPDATED_AT: { value: 'updatedAt', description: 'When they were edited last.' },
  } as const,
})

const AggregateOrder = builder.inputType('AggregateOrder', {
  description: 'An order of aggregates; those that are equal by it are ordered by their names.',
  fields: (t) => ({
    field: t.field({ type: AggregateOrderField, required: true, description: 'By what.' }),
    direction: t.field({ type: OrderDirection, required: true, defaultValue: 'ASC', description: 'Up or down.' }),
  }),
})

builder.queryFields((t) => ({
  aggregate: t.field({
    type: Aggregate,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when there is none.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Its identity.' }), ...momentArg() },
    resolve: async (_root, { uuid, at }, { aggregates, fleetAt }) => aggregates.find(uuid, await fleetAt(at)),
  }),
  aggregates: t.field({
    type: AggregateConnection,
    authScopes: { scope: 'READ' },
    description: 'All aggregates, by name unless another order is asked for.',
    args: {
      ...pageArgs(),
      query: t.arg.string({ description: 'Which: a line of the filter grammar, such as az:z1 key:ssd (docs/query.md).' }),
      orderBy: t.arg({ type: AggregateOrder, description: 'In which order.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { aggregates, fleetAt, moments }) =>
      aggregates.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const AggregatePayload = builder.objectRef<AggregateDone>('AggregatePayload').implement({
  description: 'The edit is made, or would be.',
  fields: (t) => ({
    aggregate: t.expose('aggregate', { type: Aggregate, nullable: true, description: 'As it is now, or would be; null when deleted.' }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'What it touches.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    warnings: t.field({
      type: AggregateWarnings,
      nullable: true,
      description: 'Which instances would be refused where they are, because of the edit; null when it is made.',
      args: { deadline: t.arg({ type: 'Duration', description: 'How long it may take; PT5S if not given, at most PT30S.' }) },
      resolve: (done, { deadline }, { warnOfAggregateEdit }) => warnOfAggregateEdit(done, deadline ?? null),
    }),
    replay: t.field({
      type: AggregateReplay,
      nullable: true,
      description: 'What the edit would change for recent requests, and for the room of flavors; null when it is made.',
      args: {
        sample: t.arg.int({ description: 'How many of the last requests, at most; 200 if not given, at most 1000.' }),
        deadline: t.arg({ type: 'Duration', description: 'How long it may take; PT10S if not given, at most PT30S.' }),
      },
      resolve: (done, { sample, deadline }, { replayAggregateEdit }) =>
        replayAggregateEdit(done, { sample: sample ?? null, deadlineMs: deadline ?? null }),
    }),
  }),
})

const VersionConflict = builder.objectRef<VersionConflictShape>('VersionConflict').implement({
  description: 'It was edited since it was read. Look at the current one and edit that.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version that the call names.' }),
    actual: t.exposeInt('actual', { description: 'The version that it has.' }),
    current: t.expose('current', { type: Aggregate, nullable: true, description: 'As it is now.' }),
  }),
})

const AggregateResult = resultUnion(
  'AggregateResult',
  'Ends of edits of aggregates.',
  [AggregatePayload, NotFound, VersionConflict, ValidationError],
  {
    done: 'AggregatePayload',
  },
)

const AggregateCreateInput = builder.inputType('AggregateCreateInput', {
  description: 'A new aggregate.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Unique, 1 to 255 characters.' }),
    availabilityZone: t.string({ description: 'Makes it a zone: the metadata key availability_zone.' }),
    metadata: t.field({ type: [KeyValueInput], description: 'What filters read.' }),
    hosts: t.stringList({ description: 'Names of hosts that have reported.' }),
  }),
})

const AggregateUpdateInput = builder.inputType('AggregateUpdateInput', {
  description: "Member and metadata edits are deltas, never whole-list replacement: two operators cannot erase each other's work.",
  fields: (t) => ({
    name: t.string({ description: 'A new name.' }),
    availabilityZone: t.string({ description: 'A new zone. To end being a zone, unset the metadata key availability_zone.' }),
    setMetadata: t.field({ type: [KeyValueInput], description: 'Keys to add or replace.' }),
    unsetMetadata: t.stringList({ description: 'Keys to remove.' }),
    addHosts: t.stringList({ description: 'Hosts to add; they must have reported.' }),
    removeHosts: t.stringList({ description: 'Hosts to remove.' }),
  }),
})

const dryRunText = 'True: only tell what it would do.'

builder.mutationFields((t) => ({
  aggregateCreate: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Makes an aggregate.',
    args: {
      input: t.arg({ type: AggregateCreateInput, required: true, description: 'The new aggregate.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { input: { name, availabilityZone, metadata, hosts }, dryRun }, { aggregates, caller }) =>
      aggregates.create({ name, availabilityZone, setMetadata: metadata, addHosts: hosts }, caller.account, dryRun ?? false),
  }),
  aggregateImport: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: "Makes an aggregate as Nova has it, with Nova's uuid; if it is here already, makes it the same.",
    args: {
      document: t.arg({ type: 'JSON', required: true, description: "Nova's Aggregate in its wire form, or its fields alone." }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { document, dryRun }, { aggregates, caller }) => aggregates.importNova(document, caller.account, dryRun ?? false),
  }),
  aggregateUpdate: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Edits an aggregate.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'Which.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      input: t.arg({ type: AggregateUpdateInput, required: true, description: 'What changes.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, input, dryRun }, { aggregates, caller }) =>
      aggregates.update(uuid, ifVersion, input, caller.account, dryRun ?? false),
  }),
  aggregateDelete: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Removes an aggregate; its hosts stay.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'Which.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, dryRun }, { aggregates }) => aggregates.delete(uuid, ifVersion, dryRun ?? false),
  }),
}))
