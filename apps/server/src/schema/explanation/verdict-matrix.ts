import type { HostName, VerdictMatrix as Matrix } from '@gantt/scheduler-core'
import { builder } from '../builder.ts'
import { OtherNode } from '../fleet/fleet.ts'

interface NamedMatrix {
  readonly matrix: Matrix
  readonly names: readonly HostName[]
}

export const VerdictMatrix = builder.objectRef<NamedMatrix>('VerdictMatrix').implement({
  description:
    'The results of all filters on all hosts, as packed columns. The rows are the hosts in the order in which they first reported.',
  fields: (t) => ({
    hostCount: t.int({ description: 'How many hosts the matrix has.', resolve: ({ matrix }) => matrix.hostCount }),
    hostNames: t.field({
      type: ['String'],
      description: 'Names of the hosts, in the order of the rows.',
      resolve: ({ names }) => names.map(({ host }) => host),
    }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Hosts whose node name differs from the host name.',
      resolve: ({ names }) => names.flatMap(({ host, node }, ordinal) => (node === host ? [] : [{ ordinal, node }])),
    }),
    filters: t.field({
      type: ['String'],
      description: 'The filters in the order of evaluation.',
      resolve: ({ matrix }) => [...matrix.filters],
    }),
    firstFailing: t.field({
      type: 'PackedColumn',
      description: 'U8: the index in `filters` of the first filter that refuses the host; 255 if no filter refuses it.',
      resolve: ({ matrix }) => matrix.firstRefusing,
    }),
    reason: t.field({
      type: 'PackedColumn',
      description: "U8: the index in `reasonCodes` of the first refusal's reason; 255 if no filter refuses the host.",
      resolve: ({ matrix }) => matrix.reason,
    }),
    reasonCodes: t.field({
      type: ['String'],
      description: 'The codes of the reasons that occur.',
      resolve: ({ matrix }) => [...matrix.codes],
    }),
    reasonUnits: t.field({
      type: t.listRef('String', { nullable: true }),
      description:
        'The unit of `missing` for each code in `reasonCodes`, in the same order. Null for a code without a missing amount, or without a fixed unit.',
      resolve: ({ matrix }) => [...matrix.units],
    }),
    missing: t.field({
      type: 'PackedColumn',
      description:
        "F64: the missing amount of the first refusal's reason, in the unit of the reason's code; 0 if the reason has no missing amount.",
      resolve: ({ matrix }) => matrix.missing,
    }),
    bits: t.field({
      type: 'PackedColumn',
      description:
        'U8: for each host one bit per filter, in whole bytes. Bit f is set if filter f refuses the host. Each filter is evaluated independently of the others.',
      resolve: ({ matrix }) => matrix.refusedBy,
    }),
    rank: t.field({
      type: 'PackedColumn',
      description: 'U32: the rank of each host, where 1 is the best; 0 if a filter refuses the host.',
      resolve: ({ matrix }) => matrix.rank,
    }),
    distance: t.field({
      type: 'PackedColumn',
      description:
        'F64: how far each host is from passing; 0 if it passes. The distance is the largest shortfall as a share of what was required (1 for a demand that is not a number), plus a thousandth for each further filter that refuses.',
      resolve: ({ matrix }) => matrix.distance,
    }),
  }),
})
