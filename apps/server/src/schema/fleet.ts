import type { Fleet as CoreFleet } from '@gantt/scheduler-core'
import {
  type ColumnData as ColumnDataShape,
  type ColumnDictionary as ColumnDictionaryShape,
  createFleetReader,
  type FleetColumnsView,
  type FleetReader,
  fleetColumns,
  type HostColumnsView,
  type OtherNode as OtherNodeShape,
  type RenamedHost as RenamedHostShape,
} from '../services/fleet-columns.ts'
import type { FleetDelta } from '../services/fleet-deltas.ts'
import { elementTypeOf, elementTypes } from '../services/packed.ts'
import { builder } from './builder.ts'
import { momentArg } from './common.ts'
import { GapEvent } from './events.ts'
import { FleetGroup } from './simulate.ts'

const ElementType = builder.enumType('ElementType', {
  description: 'How the elements of a packed column are stored: unsigned whole numbers of 1, 2 or 4 bytes, or IEEE 754 doubles.',
  values: elementTypes,
})

const FleetColumn = builder.enumType('FleetColumn', {
  description:
    'What can be read of all hosts at once. STATE, STATUS, AZ, AGGREGATES and TRAITS are indexes into their dictionary; so are HYPERVISOR_TYPE, HYPERVISOR_VERSION, CPU_MODEL, CPU_VENDOR and CPU_ARCH, as sets: of one text, or empty where the host does not tell it; amounts may be below 0 where they are free, and are with overcommit where they are totals; REPORTED_AT is milliseconds since 1970, 0 = never.',
  values: fleetColumns,
})

const ColumnData = builder.objectRef<ColumnDataShape>('ColumnData').implement({
  description: 'One column.',
  fields: (t) => ({
    name: t.expose('name', { type: FleetColumn, description: 'Which.' }),
    elementType: t.field({ type: ElementType, description: 'How it is stored.', resolve: ({ data }) => elementTypeOf(data) }),
    data: t.expose('data', { type: 'PackedColumn', description: 'One element per host, in the order of `ordinals`.' }),
  }),
})

const ColumnDictionary = builder.objectRef<ColumnDictionaryShape>('ColumnDictionary').implement({
  description: 'What the numbers of a column stand for.',
  fields: (t) => ({
    column: t.expose('column', { type: FleetColumn, description: 'Which.' }),
    values: t.field({ type: ['String'], description: 'By index.', resolve: ({ values }) => [...values] }),
    sets: t.field({
      type: t.listRef(t.listRef('Int')),
      nullable: true,
      description: 'For columns of sets: an element is an index into this, each a list of indexes into `values`. Else null.',
      resolve: ({ sets }) => sets?.map((set) => [...set]) ?? null,
    }),
  }),
})

export const OtherNode = builder.objectRef<OtherNodeShape>('OtherNode').implement({
  description: 'A host whose node has a name of its own.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: 'The host.' }),
    node: t.exposeString('node', { description: "The node's name." }),
  }),
})

const RenamedHost = builder.objectRef<RenamedHostShape>('RenamedHost').implement({
  description: 'A host that was replaced.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: 'The host.' }),
    names: t.exposeStringList('names', { description: 'Host names that it had before, oldest first.' }),
  }),
})

const HostColumns = builder.interfaceRef<HostColumnsView>('HostColumns').implement({
  description: 'Some hosts, column by column; everything in the order of `ordinals`.',
  fields: (t) => ({
    ordinals: t.expose('ordinals', {
      type: 'PackedColumn',
      description: 'U32: the position of each host in the order in which hosts were first seen; never given to another.',
    }),
    names: t.field({ type: ['String'], description: 'Of the hosts.', resolve: ({ names }) => [...names] }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Where the node has a name of its own.',
      resolve: ({ otherNodes }) => [...otherNodes],
    }),
    renamed: t.field({
      type: [RenamedHost],
      description:
        'Which of them had other names before. Another name at an ordinal that is not among these is another history of the fleet.',
      resolve: ({ renamed }) => [...renamed],
    }),
    dictionaries: t.field({
      type: [ColumnDictionary],
      description: 'Whole, for the columns beside them: their indexes refer to these only.',
      resolve: ({ dictionaries }) => [...dictionaries],
    }),
    columns: t.field({ type: [ColumnData], description: 'As asked for.', resolve: ({ columns }) => [...columns] }),
  }),
})

const FleetColumns = builder.objectRef<FleetColumnsView>('FleetColumns').implement({
  description: 'Many hosts, column by column.',
  interfaces: [HostColumns],
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The state that it shows; give it to fleetDeltas.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of that state.' }),
    count: t.int({ description: 'How many hosts.', resolve: ({ names }) => names.length }),
  }),
})

const Fleet = builder.objectRef<FleetReader>('Fleet').implement({
  description: 'All hosts, as this replica sees them now, or as they were.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'What the replica has applied; of the past, the revision of that state.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of that state: of the last entry in it.' }),
    hostCount: t.exposeInt('hostCount', { description: 'How many hosts there are: those that have reported and did not leave.' }),
    totals: t.field({
      type: [FleetGroup],
      description: 'How full each availability zone is, by name. Hosts that take no instances now count too.',
      resolve: async (fleet) => [...(await fleet.totals())],
    }),
    columns: t.field({
      type: FleetColumns,
      description: 'Bulk data for maps and long tables.',
      args: {
        names: t.arg({ type: [FleetColumn], required: true, description: 'Which columns, each once.' }),
        query: t.arg.string({ description: 'Which hosts: a line of the filter grammar (docs/query.md).' }),
      },
      resolve: (fleet, { names, query }) => fleet.columns(names, query),
    }),
  }),
})

builder.queryField('fleet', (t) =>
  t.field({
    type: Fleet,
    authScopes: { scope: 'READ' },
    description: 'All hosts at once.',
    args: momentArg(),
    resolve: async (_root, { at }, { moments, fleetAt }) =>
      at ? pastFleet(await fleetAt(at)) : createFleetReader({ fleet: moments.snapshot() }),
  }),
)

/** A fleet of the past, with its own time for now. */
const pastFleet = (fleet: CoreFleet): FleetReader => createFleetReader({ fleet }, () => fleet.now)

const FleetDeltaEvent = builder.objectRef<FleetDelta>('FleetDeltaEvent').implement({
  description: 'Hosts that changed, or are new, as they are now.',
  interfaces: [HostColumns],
  fields: (t) => ({
    left: t.exposeIntList('left', { description: 'Ordinals of hosts that are not there any more.' }),
    from: t.expose('from', { type: 'Revision', description: 'What the reader had.' }),
    to: t.expose('to', { type: 'Revision', description: 'What it has with this.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Store time of that state.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present when changes were missed: read everything again.' }),
  }),
})

builder.subscriptionField('fleetDeltas', (t) =>
  t.field({
    type: FleetDeltaEvent,
    authScopes: { scope: 'READ' },
    description: 'What changes among all hosts, at most once per interval.',
    args: {
      columns: t.arg({ type: [FleetColumn], required: true, description: 'Which columns, each once.' }),
      after: t.arg({ type: 'Revision', required: true, description: '`asOf` of the columns that the reader has.' }),
      interval: t.arg({ type: 'Duration', defaultValue: 1_000, description: 'PT0.1S to PT60S.' }),
    },
    subscribe: (_root, { columns, after, interval }, { watch, caller }) =>
      watch.fleet({ columns, after, intervalMs: interval ?? 1_000, keyId: caller.keyId, mayGoOn: caller.isStillKnown }),
    resolve: (event) => event,
  }),
)
