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

/** Joins the columns of the fields to a text: "A, B and C". */
const listed = (fields: readonly { readonly column: string }[]): string =>
  fields.map(({ column }, i) => `${i === 0 ? '' : i === fields.length - 1 ? ' and ' : ', '}${column}`).join('')

const FleetColumn = builder.enumType('FleetColumn', {
  description: `The columns that can be read for all hosts at once. ${listed(textFields)} contain indexes into a dictionary. ${listed(reportedFields)} contain indexes into a dictionary of sets: a set has one text, or is empty if the host does not report the value. Free amounts can be below 0. Totals include overcommit. REPORTED_AT is in milliseconds since 1970; 0 means that the host never reported.`,
  values: fleetColumns,
})

const ColumnData = builder.objectRef<ColumnDataShape>('ColumnData').implement({
  description: 'One column, with one value for each host.',
  fields: (t) => ({
    name: t.expose('name', { type: FleetColumn, description: 'Name of the column.' }),
    elementType: t.field({
      type: ElementType,
      description: 'How the values of the column are encoded.',
      resolve: ({ data }) => elementTypeOf(data),
    }),
    data: t.expose('data', { type: 'PackedColumn', description: 'The values of the column, one per host, in the order of `ordinals`.' }),
  }),
})

const ColumnDictionary = builder.objectRef<ColumnDictionaryShape>('ColumnDictionary').implement({
  description: 'The texts that the indexes in a column refer to.',
  fields: (t) => ({
    column: t.expose('column', { type: FleetColumn, description: 'The name of the column.' }),
    values: t.field({
      type: ['String'],
      description: "The texts that the column's indexes refer to, in the order of the indexes.",
      resolve: ({ values }) => [...values],
    }),
    sets: t.field({
      type: t.listRef(t.listRef('Int')),
      nullable: true,
      description:
        'Only for columns whose values are sets; null for other columns. A value of the column is an index into this list. Each item of this list is a set, as a list of indexes into `values`.',
      resolve: ({ sets }) => sets?.map((set) => [...set]) ?? null,
    }),
  }),
})

export const OtherNode = builder.objectRef<OtherNodeShape>('OtherNode').implement({
  description: 'A host whose node name differs from the host name.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: 'The ordinal of the host.' }),
    node: t.exposeString('node', { description: 'The name of the node.' }),
  }),
})

const RenamedHost = builder.objectRef<RenamedHostShape>('RenamedHost').implement({
  description: 'A host that was replaced and therefore has earlier names.',
  fields: (t) => ({
    ordinal: t.exposeInt('ordinal', { description: 'The ordinal of the host.' }),
    names: t.exposeStringList('names', { description: 'The earlier host names, oldest first.' }),
  }),
})

const HostColumns = builder.interfaceRef<HostColumnsView>('HostColumns').implement({
  description: 'Values of hosts, column by column. All columns have the order of `ordinals`.',
  fields: (t) => ({
    ordinals: t.expose('ordinals', {
      type: 'PackedColumn',
      description:
        'U32: the ordinal of each host. Hosts get ordinals in the order in which they first reported; an ordinal is never reused.',
    }),
    names: t.field({
      type: ['String'],
      description: 'The names of the hosts, in the order of `ordinals`.',
      resolve: ({ names }) => [...names],
    }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Hosts whose node name differs from the host name.',
      resolve: ({ otherNodes }) => [...otherNodes],
    }),
    renamed: t.field({
      type: [RenamedHost],
      description:
        'The hosts that have earlier names. If a host that is not listed here has another name than in an earlier answer, the ordinals belong to another fleet, and the earlier answer must be discarded.',
      resolve: ({ renamed }) => [...renamed],
    }),
    dictionaries: t.field({
      type: [ColumnDictionary],
      description: 'The dictionaries of the columns in this answer. The indexes in these columns refer only to these dictionaries.',
      resolve: ({ dictionaries }) => [...dictionaries],
    }),
    columns: t.field({ type: [ColumnData], description: 'The requested columns.', resolve: ({ columns }) => [...columns] }),
  }),
})

const FleetColumns = builder.objectRef<FleetColumnsView>('FleetColumns').implement({
  description: 'Values of many hosts, column by column.',
  interfaces: [HostColumns],
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'Revision', description: 'The revision of the fleet. Pass it as `after` to `fleetDeltas`.' }),
    at: t.expose('at', { type: 'DateTime', description: "The time of the last log entry in this state, by the database's clock." }),
    count: t.int({ description: 'How many hosts are in the columns.', resolve: ({ names }) => names.length }),
  }),
})

const Fleet = builder.objectRef<FleetReader>('Fleet').implement({
  description: 'All hosts, as this replica sees them now, or as they were at a past revision or time.',
  fields: (t) => ({
    asOf: t.expose('asOf', {
      type: 'Revision',
      description: 'The revision that the replica has applied; for a past fleet, the revision of that fleet.',
    }),
    at: t.expose('at', { type: 'DateTime', description: "The time of the last log entry in this state, by the database's clock." }),
    hostCount: t.exposeInt('hostCount', { description: 'How many hosts have reported and have not left the fleet.' }),
    totals: t.field({
      type: [FleetGroup],
      description: 'The usage of each availability zone, sorted by zone. Hosts that take no instances at present are included.',
      resolve: async (fleet) => [...(await fleet.totals())],
    }),
    columns: t.field({
      type: FleetColumns,
      description: 'Values of many hosts in packed columns, for maps and long tables.',
      args: {
        names: t.arg({ type: [FleetColumn], required: true, description: 'The columns to return, each named once.' }),
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
    description: 'The hosts of the fleet in bulk: totals, and values in packed columns.',
    args: momentArg(),
    resolve: async (_root, { at }, { moments, fleetAt }) =>
      at ? pastFleet(await fleetAt(at)) : createFleetReader({ fleet: moments.snapshot() }),
  }),
)

/** Reads a past fleet. Ages are computed up to the time of that fleet instead of the present time. */
const pastFleet = (fleet: CoreFleet): FleetReader => createFleetReader({ fleet }, () => fleet.now)

const FleetDeltaEvent = builder.objectRef<FleetDelta>('FleetDeltaEvent').implement({
  description: 'Hosts that changed or that are new, in their present state.',
  interfaces: [HostColumns],
  fields: (t) => ({
    left: t.exposeIntList('left', { description: 'The ordinals of hosts that left the fleet.' }),
    from: t.expose('from', { type: 'Revision', description: 'The revision that the reader had before this event.' }),
    to: t.expose('to', { type: 'Revision', description: 'The revision that the reader has after this event.' }),
    at: t.expose('at', { type: 'DateTime', description: "The time of the last log entry in this state, by the database's clock." }),
    gap: t.expose('gap', {
      type: GapEvent,
      nullable: true,
      description: 'Present if changes were missed. The reader must then read all columns again.',
    }),
  }),
})

builder.subscriptionField('fleetDeltas', (t) =>
  t.field({
    type: FleetDeltaEvent,
    authScopes: { scope: 'READ' },
    description: 'Streams the hosts that changed, at most once per interval.',
    args: {
      columns: t.arg({ type: [FleetColumn], required: true, description: 'The columns to return, each named once.' }),
      after: t.arg({ type: 'Revision', required: true, description: 'The value of `asOf` in the columns that the reader has.' }),
      interval: t.arg({ type: 'Duration', defaultValue: 1_000, description: 'The time between two events, PT0.1S to PT60S.' }),
    },
    subscribe: (_root, { columns, after, interval }, { watch, caller, over }) =>
      watch.fleet({ columns, after, intervalMs: interval ?? 1_000, keyId: caller.keyId, mayGoOn: caller.isStillKnown, over }),
    resolve: (event) => event,
  }),
)
