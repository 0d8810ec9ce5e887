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
  description: 'A filter or weigher that reads a metadata key, in a profile version that decides calls or is in a rollout.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ProfilePartKind, description: 'The kind of the reader, FILTER or WEIGHER.' }),
    part: t.exposeString('part', { description: 'Name of the filter or weigher.' }),
    key: t.exposeString('key', {
      description: 'The key that the filter or weigher declares: an exact key, or a pattern with a star at its end.',
    }),
    by: t.string({
      nullable: true,
      description:
        'For a pattern: what determines which keys the filter or weigher reads. The key of this metadata entry is not necessarily one of these keys.',
      resolve: ({ by }) => by ?? null,
    }),
    profiles: t.stringList({
      description: 'The profile versions that contain the filter or weigher, as name@number.',
      resolve: ({ profiles }) => [...profiles],
    }),
  }),
})

const AggregateMetadata = builder.objectRef<MetadataEntry>('AggregateMetadata').implement({
  description: 'A key in the metadata of an aggregate, with its value and its readers.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Key of the entry.' }),
    value: t.exposeString('value', { description: 'Value of the entry.' }),
    readers: t.field({
      type: [MetadataReader],
      description:
        'The filters and weighers that read the key. Readers that name the exact key come before readers that match it by a pattern.',
      resolve: (entry) => [...entry.readers()],
    }),
    isOwn: t.exposeBoolean('isOwn', {
      description:
        'True if the service itself uses the key, whatever profiles read. Such keys set the availability zone of the hosts, or the pool of their disks.',
    }),
    unusedReaders: t.stringList({
      description: 'If no profile in use reads the key: filters and weighers of this service that would read the key.',
      resolve: (entry) => [...entry.unusedReaders()],
    }),
    similarKeys: t.stringList({
      description: 'If no filter or weigher names the key: known keys with a similar spelling, most similar first.',
      resolve: (entry) => [...entry.similarKeys()],
    }),
  }),
})

const AggregateRatio = builder.objectRef<AggregateRatioView>('AggregateRatio').implement({
  description: 'An allocation ratio that an aggregate sets for its hosts.',
  fields: (t) => ({
    resourceClass: t.exposeString('resourceClass', { description: 'Name of the resource class.' }),
    ratio: t.exposeFloat('ratio', { description: 'The factor by which the hosts of the aggregate overcommit the resource class.' }),
    by: t.exposeString('by', { nullable: true, description: 'The account that set the ratio; null if the account was not recorded.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'When the ratio was set; null if the time was not recorded.' }),
  }),
})

builder.node(Aggregate, {
  description: 'A set of hosts with metadata. An aggregate with the metadata key availability_zone is an availability zone.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id of the object.' },
  loadOne: (uuid, { aggregates }) => aggregates.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the aggregate.' }),
    name: t.exposeString('name', { description: 'The name, unique among aggregates.' }),
    availabilityZone: t.string({
      nullable: true,
      description: 'The value of the metadata key availability_zone; null if the aggregate does not have this key.',
      resolve: zoneOf,
    }),
    metadata: t.field({
      type: [AggregateMetadata],
      description: 'The metadata that filters and weighers read.',
      resolve: (aggregate, _args, { aggregates }) => [...aggregates.metadataOf(aggregate)],
    }),
    ratios: t.field({
      type: [AggregateRatio],
      description:
        'The allocation ratios that the aggregate sets for its hosts with the metadata keys cpu_allocation_ratio, ram_allocation_ratio and disk_allocation_ratio. If a host is in several aggregates, the lowest ratio applies.',
      resolve: ratiosOf,
    }),
    version: t.exposeInt('version', {
      description: 'The version of the aggregate, which increases with every edit. Pass it as `ifVersion` when you edit the aggregate.',
    }),
    hostCount: t.int({ description: 'How many hosts are members of the aggregate.', resolve: ({ hosts }) => hosts.length }),
    hostNames: t.field({ type: ['String'], description: 'The names of the member hosts.', resolve: ({ hosts }) => [...hosts] }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: "When the aggregate was last edited, by the database's clock." }),
  }),
})

const AggregateConnection = connectionOf('Aggregate', Aggregate)

builder.objectField(Host, 'aggregates', (t) =>
  t.field({
    type: AggregateConnection,
    description: 'The aggregates of which the host is a member.',
    args: pageArgs(),
    resolve: (host, page, { aggregates }) => aggregates.of(host, page),
  }),
)

const AggregateOrderField = builder.enumType('AggregateOrderField', {
  description: 'The fields by which aggregates can be sorted.',
  values: {
    NAME: { value: 'name', description: 'The name, compared by Unicode code units.' },
    ZONE: { value: 'zone', description: 'The availability zone; aggregates without one come first.' },
    HOSTS: { value: 'hosts', description: 'The number of hosts.' },
    VERSION: { value: 'version', description: 'The version, which is the number of edits.' },
    UPDATED_AT: { value: 'updatedAt', description: 'The time of the last edit.' },
  } as const,
})

const AggregateOrder = builder.inputType('AggregateOrder', {
  description: 'The order of a list of aggregates. Aggregates with equal values in the field are sorted by name.',
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
    description: 'An aggregate; null if no aggregate has this UUID.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the aggregate.' }), ...momentArg() },
    resolve: async (_root, { uuid, at }, { aggregates, fleetAt }) => aggregates.find(uuid, await fleetAt(at)),
  }),
  aggregates: t.field({
    type: AggregateConnection,
    authScopes: { scope: 'READ' },
    description: 'All aggregates, sorted by name unless `orderBy` is given.',
    args: {
      ...pageArgs(),
      query: t.arg.string({ description: 'A filter in the filter grammar, such as `az:z1 key:ssd` (docs/query.md).' }),
      orderBy: t.arg({ type: AggregateOrder, description: 'Order of the list.' }),
      ...momentArg(),
    },
    resolve: async (_root, { at, ...args }, { aggregates, fleetAt, moments }) =>
      aggregates.list(args, at ? await fleetAt(at) : moments.snapshot()),
  }),
}))

const AggregatePayload = builder.objectRef<AggregateDone>('AggregatePayload').implement({
  description: 'The aggregate was edited; for a dry run, the effect that the edit would have.',
  fields: (t) => ({
    aggregate: t.expose('aggregate', {
      type: Aggregate,
      nullable: true,
      description: 'The aggregate after the edit; null if it was deleted. For a dry run, the aggregate as it would be.',
    }),
    impact: t.expose('impact', { type: ImpactPreview, description: 'The hosts and claims that the edit affects.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    warnings: t.field({
      type: AggregateWarnings,
      nullable: true,
      description: 'The placed instances that filters would refuse on their present hosts after the edit. Null unless this was a dry run.',
      args: { deadline: t.arg({ type: 'Duration', description: 'The time limit of the check; PT5S by default, at most PT30S.' }) },
      resolve: (done, { deadline }, { warnOfAggregateEdit }) => warnOfAggregateEdit(done, deadline ?? null),
    }),
    replay: t.field({
      type: AggregateReplay,
      nullable: true,
      description:
        'The effect that the edit would have on recent requests, and on how many more instances of the common flavors fit. Null unless this was a dry run.',
      args: {
        sample: t.arg.int({ description: 'At most this many recent requests are replayed; 200 by default, at most 1000.' }),
        deadline: t.arg({ type: 'Duration', description: 'The time limit of the replay; PT10S by default, at most PT30S.' }),
      },
      resolve: (done, { sample, deadline }, { replayAggregateEdit }) =>
        replayAggregateEdit(done, { sample: sample ?? null, deadlineMs: deadline ?? null }),
    }),
  }),
})

const VersionConflict = builder.objectRef<VersionConflictShape>('VersionConflict').implement({
  description: 'The aggregate was edited after the caller read it. Read the present version and repeat the edit with it.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version of the aggregate that the caller sent.' }),
    actual: t.exposeInt('actual', { description: 'The present version of the aggregate.' }),
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
    name: t.string({
      required: true,
      description: 'The name of the aggregate, 1 to 255 characters. No other aggregate may have the same name.',
    }),
    availabilityZone: t.string({ description: 'The availability zone of the hosts. It is stored as the metadata key availability_zone.' }),
    metadata: t.field({ type: [KeyValueInput], description: 'The metadata of the aggregate, which filters and weighers read.' }),
    hosts: t.stringList({ description: 'The names of the member hosts. Each host must have reported.' }),
  }),
})

const AggregateUpdateInput = builder.inputType('AggregateUpdateInput', {
  description:
    "An edit of an aggregate. Members and metadata are edited as differences and never replaced as a whole, so that two operators cannot undo each other's edits.",
  fields: (t) => ({
    name: t.string({ description: 'A new name for the aggregate.' }),
    availabilityZone: t.string({ description: 'A new availability zone. To remove the zone, unset the metadata key availability_zone.' }),
    setMetadata: t.field({ type: [KeyValueInput], description: 'Metadata keys to add or replace.' }),
    unsetMetadata: t.stringList({ description: 'Metadata keys to remove.' }),
    addHosts: t.stringList({ description: 'Hosts to add. Each host must have reported.' }),
    removeHosts: t.stringList({ description: 'Hosts to remove from the aggregate.' }),
  }),
})

const dryRunText = 'True: the call returns its effect and changes nothing.'

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
    description: 'Imports an aggregate of Nova with its UUID. If an aggregate with this UUID exists, it is changed to match it.',
    args: {
      document: t.arg({ type: 'JSON', required: true, description: "Nova's Aggregate object in its wire form, or only its fields." }),
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
      ifVersion: t.arg.int({
        required: true,
        description: 'The version that the caller read. The call is refused if the present version differs.',
      }),
      input: t.arg({ type: AggregateUpdateInput, required: true, description: 'The changes to make.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, input, dryRun }, { aggregates, caller }) =>
      aggregates.update(uuid, ifVersion, input, caller.account, dryRun ?? false),
  }),
  aggregateDelete: t.field({
    type: AggregateResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Deletes an aggregate. Its hosts stay in the fleet.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the aggregate.' }),
      ifVersion: t.arg.int({
        required: true,
        description: 'The version that the caller read. The call is refused if the present version differs.',
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, dryRun }, { aggregates }) => aggregates.delete(uuid, ifVersion, dryRun ?? false),
  }),
}))
