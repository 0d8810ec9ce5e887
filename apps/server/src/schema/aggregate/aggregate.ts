import type { MetadataReader as MetadataReaderShape } from '@gantt/scheduler-core'
import {
  type AggregateDone,
  type AggregateRatioView,
  type MetadataEntry,
  ratiosOf,
  type VersionConflict as VersionConflictShape,
  zoneOf,
} from '../../services/aggregate/aggregates.ts'
import { builder } from '../builder.ts'
import { ProfilePartKind } from '../profile/profile-part.ts'
import { ImpactPreview, KeyValueInput, momentArg, OrderDirection } from '../types/common.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { Aggregate, Host } from '../types/refs.ts'
import { AggregateReplay } from './aggregate-replay.ts'
import { AggregateWarnings } from './aggregate-warnings.ts'

const MetadataReader = builder.objectRef<MetadataReaderShape>('MetadataReader').implement({
  description: 'A filter or weigher that reads a metadata key, in a profile version that decides calls or is tried.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'FILTER or WEIGHER.' }),
    part: t.exposeString('part', { description: 'Name of the filter or weigher.' }),
    key: t.exposeString('key', { description: 'The key that it declares: the exact key, or a pattern with a star at its end.' }),
    by: t.string({
      nullable: true,
      description: 'For a pattern: what determines the keys that it reads. Possibly nothing determines this key.',
      resolve: ({ by }) => by ?? null,
    }),
    profiles: t.stringList({ description: 'The versions that have it, as name@number.', resolve: ({ profiles }) => [...profiles] }),
  }),
})

const AggregateMetadata = builder.objectRef<MetadataEntry>('AggregateMetadata').implement({
  description: 'A key of the metadata of an aggregate.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key of the entry.' }),
    value: t.exposeString('value', { description: 'Value of the entry.' }),
    readers: t.field({
      type: [MetadataReader],
      description: 'The readers: those that name the key, then those with a pattern.',
      resolve: ({ readers }) => [...readers],
    }),
    isOwn: t.exposeBoolean('isOwn', {
      description: 'True if the service itself uses the key, whatever profiles read: the zone of the hosts, or the pool of their disks.',
    }),
    unusedReaders: t.stringList({
      description: 'If no served profile reads the key: filters and weighers of this service that would read it.',
      resolve: ({ unusedReaders }) => [...unusedReaders],
    }),
    similarKeys: t.stringList({
      description: 'If no reader names the key: known keys with a similar spelling. Nearest first.',
      resolve: ({ similarKeys }) => [...similarKeys],
    }),
  }),
})

const AggregateRatio = builder.objectRef<AggregateRatioView>('AggregateRatio').implement({
  description: 'An allocation ratio that an aggregate gives its hosts.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    ratio: t.exposeFloat('ratio', { description: 'The factor by which its hosts overcommit the class.' }),
    by: t.exposeString('by', { nullable: true, description: 'The account that set it; null if it was not recorded.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'The time at which it was set; null if it was not recorded.' }),
  }),
})

builder.node(Aggregate, {
  description: 'A set of hosts with metadata; an aggregate with the key availability_zone is a zone.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id of the object.' },
  loadOne: (uuid, { aggregates }) => aggregates.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'The name, unique among aggregates.' }),
    availabilityZone: t.string({ nullable: true, description: 'The value of its metadata key availability_zone.', resolve: zoneOf }),
    metadata: t.field({
      type: [AggregateMetadata],
      description: 'The metadata that filters and weighers read.',
      resolve: (aggregate, _args, { aggregates }) => [...aggregates.metadataOf(aggregate)],
    }),
    ratios: t.field({
      type: [AggregateRatio],
      description:
        'The allocation ratios that its metadata sets for its hosts, under the keys cpu_allocation_ratio, ram_allocation_ratio and disk_allocation_ratio. If a host is in several aggregates, the lowest ratio applies.',
      resolve: ratiosOf,
    }),
    version: t.exposeInt('version', { description: 'The version, which increases with every edit; pass it as ifVersion.' }),
    hostCount: t.int({ description: 'The number of its member hosts.', resolve: ({ hosts }) => hosts.length }),
    hostNames: t.field({ type: ['String'], description: 'The names of its member hosts.', resolve: ({ hosts }) => [...hosts] }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'The store time of the last edit.' }),
  }),
})

const AggregateConnection = connectionOf('Aggregate', Aggregate)

builder.objectField(Host, 'aggregates', (t) =>
  t.field({
    type: AggregateConnection,
    description: 'The aggregates that contain the host.',
    args: pageArgs(),
    resolve: (host, page, { aggregates }) => aggregates.of(host, page),
  }),
)

const AggregateOrderField = builder.enumType('AggregateOrderField', {
  description: 'The fields by which aggregates can be sorted.',
  values: {
    NAME: { value: 'name', description: 'The name, compared code unit by code unit.' },
    ZONE: { value: 'zone', description: 'The availability zone; aggregates without one come first.' },
    HOSTS: { value: 'hosts', description: 'The number of hosts.' },
    VERSION: { value: 'version', description: 'The number of edits.' },
    UPDATED_AT: { value: 'updatedAt', description: 'The time of the last edit.' },
  } as const,
})

const AggregateOrder = builder.inputType('AggregateOrder', {
  description: 'An order of aggregates; equal ones are sorted by their names.',
  fields: (t) => ({
    field: t.field({ type: AggregateOrderField, required: true, description: 'Field that aggregates are sorted by.' }),
    direction: t.field({
      type: OrderDirection,
      required: true,
      defaultValue: 'ASC',
      description: 'Direction of the order, ascending or descending.',
    }),
  }),
})

builder.queryFields((t) => ({
  aggregate: t.field({
    type: Aggregate,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'Null when there is none.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the aggregate.' }), ...momentArg() },
    resolve: async (_root, { uuid, at }, { aggregates, fleetAt }) => aggregates.find(uuid, await fleetAt(at)),
  }),
  aggregates: t.field({
    type: AggregateConnection,
    authScopes: { scope: 'READ' },
    description: 'All aggregates, by name unless another order is given.',
    args: {
      ...pageArgs(),
      query: t.arg.string({ description: 'A filter in the filter grammar, such as az:z1 key:ssd (docs/query.md).' }),
      orderBy: t.arg({ type: AggregateOrder, description: 'Order of the list.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { aggregates, fleetAt, moments }) =>
      aggregates.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const AggregatePayload = builder.objectRef<AggregateDone>('AggregatePayload').implement({
  description: 'The edit was made, or would be.',
  fields: (t) => ({
    aggregate: t.expose('aggregate', {
      type: Aggregate,
      nullable: true,
      description: 'The present aggregate, or the result of the dry run; null if it is deleted.',
    }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'Hosts and claims that the change touches.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    warnings: t.field({
      type: AggregateWarnings,
      nullable: true,
      description: 'The placed instances that would be refused because of the edit; null if the edit was made.',
      args: { deadline: t.arg({ type: 'Duration', description: 'The time limit; PT5S by default, at most PT30S.' }) },
      resolve: (done, { deadline }, { warnOfAggregateEdit }) => warnOfAggregateEdit(done, deadline ?? null),
    }),
    replay: t.field({
      type: AggregateReplay,
      nullable: true,
      description: 'The effect of the edit on recent requests, and on the capacity for flavors; null if the edit was made.',
      args: {
        sample: t.arg.int({ description: 'The maximum number of recent requests; 200 by default, at most 1000.' }),
        deadline: t.arg({ type: 'Duration', description: 'The time limit; PT10S by default, at most PT30S.' }),
      },
      resolve: (done, { sample, deadline }, { replayAggregateEdit }) =>
        replayAggregateEdit(done, { sample: sample ?? null, deadlineMs: deadline ?? null }),
    }),
  }),
})

const VersionConflict = builder.objectRef<VersionConflictShape>('VersionConflict').implement({
  description: 'The aggregate was edited after it was read. Read the present version and edit that.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version in the call.' }),
    actual: t.exposeInt('actual', { description: 'The present version.' }),
    current: t.expose('current', { type: Aggregate, nullable: true, description: 'The present aggregate.' }),
  }),
})

const AggregateResult = resultUnion(
  'AggregateResult',
  'Outcomes of aggregate edits.',
  [AggregatePayload, NotFound, VersionConflict, ValidationError],
  {
    done: 'AggregatePayload',
  },
)

const AggregateCreateInput = builder.inputType('AggregateCreateInput', {
  description: 'A new aggregate.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Unique, 1 to 255 characters.' }),
    availabilityZone: t.string({ description: 'The zone: sets the metadata key availability_zone.' }),
    metadata: t.field({ type: [KeyValueInput], description: 'Metadata of the aggregate, which filters and weighers read.' }),
    hosts: t.stringList({ description: 'The names of hosts that have reported.' }),
  }),
})

const AggregateUpdateInput = builder.inputType('AggregateUpdateInput', {
  description:
    "Edits of members and metadata are deltas and never replace the whole list, so that two operators cannot undo each other's edits.",
  fields: (t) => ({
    name: t.string({ description: 'A new name.' }),
    availabilityZone: t.string({ description: 'A new zone. To make it no zone any longer, unset the metadata key availability_zone.' }),
    setMetadata: t.field({ type: [KeyValueInput], description: 'Keys to add or replace.' }),
    unsetMetadata: t.stringList({ description: 'Keys to remove.' }),
    addHosts: t.stringList({ description: 'Hosts to add; they must have reported.' }),
    removeHosts: t.stringList({ description: 'Hosts to remove.' }),
  }),
})

const dryRunText = 'True: returns the effect of the call, and changes nothing.'

builder.mutationFields((t) => ({
  aggregateCreate: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Creates an aggregate.',
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
    description: "Creates an aggregate from Nova's, with Nova's UUID; if it exists already, makes it equal to Nova's.",
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
      uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the aggregate.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      input: t.arg({ type: AggregateUpdateInput, required: true, description: 'The changes to make.' }),
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
      uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the aggregate.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, dryRun }, { aggregates }) => aggregates.delete(uuid, ifVersion, dryRun ?? false),
  }),
}))
