import type { HostName, VerdictMatrix as Matrix } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'
import { OtherNode } from '../fleet/fleet.ts'

interface NamedMatrix {
  readonly matrix: Matrix
  readonly names: readonly HostName[]
}

export const VerdictMatrix = builder.objectRef<NamedMatrix>('VerdictMatrix').implement({
  description:
    "All filters' verdicts on all hosts, as packed columns. Each element belongs to the host at that position in the order of first sight.",
  fields: (t) => ({
    hostCount: t.int({ description: 'Number of hosts in the matrix.', resolve: ({ matrix }) => matrix.hostCount }),
    hostNames: t.field({
      type: ['String'],
      description: 'Names of the hosts, in the order of the rows.',
      resolve: ({ names }) => names.map(({ host }) => host),
    }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Hosts whose node has another name.',
      resolve: ({ names }) => names.flatMap(({ host, node }, ordinal) => (node === host ? [] : [{ ordinal, node }])),
    }),
    filters: t.field({
      type: ['String'],
      description: 'The filters in the order of evaluation.',
      resolve: ({ matrix }) => [...matrix.filters],
    }),
    firstFailing: t.field({
      type: 'PackedColumn',
      description: 'U8: index in `filters` of the first that refuses; 255 if none does.',
      resolve: ({ matrix }) => matrix.firstRefusing,
    }),
    reason: t.field({
      type: 'PackedColumn',
      description: "U8: index in `reasonCodes` of the first refusal's reason; 255 if no filter refuses.",
      resolve: ({ matrix }) => matrix.reason,
    }),
    reasonCodes: t.field({ type: ['String'], description: 'The codes of reasons.', resolve: ({ matrix }) => [...matrix.codes] }),
    reasonUnits: t.field({
      type: t.listRef('String', { nullable: true }),
      description: 'By index in `reasonCodes`: the unit of `missing` for that code; null if it is no amount, or has no fixed unit.',
      resolve: ({ matrix }) => [...matrix.units],
    }),
    missing: t.field({
      type: 'PackedColumn',
      description: "F64: the missing amount of the first refusal's reason, in the unit of its code; 0 if it is no amount.",
      resolve: ({ matrix }) => matrix.missing,
    }),
    bits: t.field({
      type: 'PackedColumn',
      description: 'U8: for each host as many bytes as hold one bit per filter; bit f is set if filter f refuses, evaluated independently.',
      resolve: ({ matrix }) => matrix.refusedBy,
    }),
    rank: t.field({
      type: 'PackedColumn',
      description: 'U32: the rank, 1 = best; 0 if a filter refuses.',
      resolve: ({ matrix }) => matrix.rank,
    }),
    distance: t.field({
      type: 'PackedColumn',
      description:
        'F64: the distance from passing; 0 = passes. The largest shortfall as a share of what was needed (1 for a demand that is no number), plus a thousandth for each further refusing filter.',
      resolve: ({ matrix }) => matrix.distance,
    }),
  }),
})
