import type { Fleet as CoreFleet } from '@gantt/scheduler-core'
import { columnFields, reportedFields } from '@gantt/scheduler-core/query'
import { elementTypeOf, elementTypes } from '../../services/calls/packed.ts'
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
} from '../../services/fleet/fleet-columns.ts'
import type { FleetDelta } from '../../services/fleet/fleet-deltas.ts'
import { builder } from '../builder.ts'
import { momentArg } from '../types/common.ts'
import { GapEvent } from '../types/events.ts'
import { FleetGroup } from '../what-if/simulate.ts'

const ElementType = builder.enumType('ElementType', {
  description: 'How the elements of a packed column are stored: unsigned whole numbers of 1, 2 or 4 bytes, or IEEE 754 doubles.',
  values: elementTypes,
})

const textFields = columnFields.filter((field) => field.holds !== 'number' && !('isReported' in field))

/** The columns of these fields as text: "A, B and C". */
const listed = (fields: readonly { readonly column: string }[]): string =>
  fields.map(({ column }, i) => `${i === 0 ? '' : i === fields.length - 1 ? ' and ' : ', '}${column}`).join('')

const FleetColumn = builder.enumType('FleetColumn', {
  description: `What can be read of all hosts at once. ${listed(textFields)} are indexes into their dictionary; so are ${listed(reportedFields)}, as sets: of one text, or empty where the host does not report it; amounts may be below 0 where they are free, and are with overcommit where they are totals; REPORTED_AT is milliseconds since 1970, 0 = never.`,
  values: fleetColumns,
})

const ColumnData = builder.objectRef<ColumnDataShape>('ColumnData').implement({
  description: 'One column of values, a value for each host.',
  fields: (t) => ({
    name: t.expose('name', { type: FleetColumn, description: 'Name of the column.' }),
    elementType: t.field({ type: ElementType, description: 'The encoding of the column.', resolve: ({ data }) => elementTypeOf(data) }),
    data: t.expose('data', { type: 'PackedColumn', description: 'One element per host, in the order of `ordinals`.' }),
  }),
})

const ColumnDictionary = builder.objectRef<ColumnDictionaryShape>('ColumnDictionary').implement({
  description: 'The values that the numbers of a column refer to.',
  fields: (t) => ({
    column: t.expose('column', { type: FleetColumn, description: 'Name of the column.' }),
    values: t.field({
      type: ['String'],
      description: 'The texts that the numbers of the column stand for, by index.',
      resolve: ({ values }) => [...values],
    }),
    sets: t.field({
      type: t.listRef(t.listRef('Int')),
      nullable: true,
      description:
        'For columns of sets: an element is an index into this list, whose items are lists of indexes into `values`. Otherwise null.',
      resolve: ({ sets }) => sets?.map((set) => [...set]) ?? null,
    }),
  }),
})

export const OtherNode = builder.objectRef<OtherNodeShape>('OtherNode').implement({
  description: 'A host whose node has another name.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: "Ordinal number of the node's host in the fleet." }),
    node: t.exposeString('node', { description: "The node's name." }),
  }),
})

const RenamedHost = builder.objectRef<RenamedHostShape>('RenamedHost').implement({
  description: 'A host that was replaced.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: 'Ordinal number of the host in the fleet.' }),
    names: t.exposeStringList('names', { description: 'The earlier host names, oldest first.' }),
  }),
})

const HostColumns = builder.interfaceRef<HostColumnsView>('HostColumns').implement({
  description: 'Some hosts, column by column; all columns in the order of `ordinals`.',
  fields: (t) => ({
    ordinals: t.expose('ordinals', {
      type: 'PackedColumn',
      description: 'U32: the position of each host in the order of first sight; never reused.',
    }),
    names: t.field({ type: ['String'], description: 'Names of the hosts, in the same order.', resolve: ({ names }) => [...names] }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Hosts whose node has another name.',
      resolve: ({ otherNodes }) => [...otherNodes],
    }),
    renamed: t.field({
      type: [RenamedHost],
      description:
        "The hosts with earlier names. If an ordinal that is not listed here has another name than before, the fleet's history is another one.",
      resolve: ({ renamed }) => [...renamed],
    }),
    dictionaries: t.field({
      type: [ColumnDictionary],
      description: 'All dictionaries of the columns in this answer; indexes refer to these only.',
      resolve: ({ dictionaries }) => [...dictionaries],
    }),
    columns: t.field({ type: [ColumnData], description: 'The requested columns.', resolve: ({ columns }) => [...columns] }),
  }),
})

const FleetColumns = builder.objectRef<FleetColumnsView>('FleetColumns').implement({
  description: 'Many hosts, column by column.',
  interfaces: [HostColumns],
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet; pass it to fleetDeltas.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The store time of that state.' }),
    count: t.int({ description: 'Number of hosts in the columns.', resolve: ({ names }) => names.length }),
  }),
})

const Fleet = builder.objectRef<FleetReader>('Fleet').implement({
  description: 'All hosts, as this replica sees them now, or as they were at a past moment.',
  fields: (t) => ({
    asOf: t.expose('asOf', {
      type: 'Revision',
      description: 'The revision that the replica has applied; for a past moment, the revision of that state.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'The store time of that state: of its last entry.' }),
    hostCount: t.exposeInt('hostCount', { description: 'The number of hosts that have reported and did not leave.' }),
    totals: t.field({
      type: [FleetGroup],
      description: 'The use of each availability zone, by name. Hosts that take no instances at present are included.',
      resolve: async (fleet) => [...(await fleet.totals())],
    }),
    columns: t.field({
      type: FleetColumns,
      description: 'Bulk data for maps and long tables.',
      args: {
        names: t.arg({ type: [FleetColumn], required: true, description: 'The columns, each once.' }),
        query: t.arg.string({ description: 'A filter in the filter grammar (docs/query.md).' }),
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

/** A past fleet. Its own time replaces the clock. */
const pastFleet = (fleet: CoreFleet): FleetReader => createFleetReader({ fleet }, () => fleet.now)

const FleetDeltaEvent = builder.objectRef<FleetDelta>('FleetDeltaEvent').implement({
  description: 'Hosts that changed, or are new, in their present state.',
  interfaces: [HostColumns],
  fields: (t) => ({
    left: t.exposeIntList('left', { description: 'The ordinals of hosts that left the fleet.' }),
    from: t.expose('from', { type: 'Revision', description: 'The revision that the reader had.' }),
    to: t.expose('to', { type: 'Revision', description: 'The revision after this event.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The store time of that state.' }),
    gap: t.expose('gap', { type: GapEvent, nullable: true, description: 'Present if changes were missed: read everything again.' }),
  }),
})

builder.subscriptionField('fleetDeltas', (t) =>
  t.field({
    type: FleetDeltaEvent,
    authScopes: { scope: 'READ' },
    description: 'The changes of all hosts, at most once per interval.',
    args: {
      columns: t.arg({ type: [FleetColumn], required: true, description: 'The columns, each once.' }),
      after: t.arg({ type: 'Revision', required: true, description: '`asOf` of the columns that the reader has.' }),
      interval: t.arg({ type: 'Duration', defaultValue: 1_000, description: 'The interval, PT0.1S to PT60S.' }),
    },
    subscribe: (_root, { columns, after, interval }, { watch, caller, over }) =>
      watch.fleet({ columns, after, intervalMs: interval ?? 1_000, keyId: caller.keyId, mayGoOn: caller.isStillKnown, over }),
    resolve: (event) => event,
  }),
)
