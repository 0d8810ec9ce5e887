import type { HostName, VerdictMatrix as Matrix } from '@gantt/scheduler-core'
import { builder } from './builder.ts'
import { OtherNode } from './fleet.ts'

interface NamedMatrix {
  readonly matrix: Matrix
  readonly names: readonly HostName[]
}

export const VerdictMatrix = builder.objectRef<NamedMatrix>('VerdictMatrix').implement({
  description:
    "Every filter's word on every host, as packed columns. An element stands for the host at that position in the order of first sight.",
  fields: (t) => ({
    hostCount: t.int({ description: 'How many hosts.', resolve: ({ matrix }) => matrix.hostCount }),
    hostNames: t.field({ type: ['String'], description: 'By position.', resolve: ({ names }) => names.map(({ host }) => host) }),
    otherNodes: t.field({
      type: [OtherNode],
      description: 'Where the node has a name of its own.',
      resolve: ({ names }) => names.flatMap(({ host, node }, ordinal) => (node === host ? [] : [{ ordinal, node }])),
    }),
    filters: t.field({ type: ['String'], description: 'In the order of running.', resolve: ({ matrix }) => [...matrix.filters] }),
    firstFailing: t.field({
      type: 'PackedColumn',
      description: 'U8: position in `filters` of the first that refuses; 255 where none does.',
      resolve: ({ matrix }) => matrix.firstRefusing,
    }),
    reason: t.field({
      type: 'PackedColumn',
      description: "U8: position in `reasonCodes` of the first refusing filter's reason; 255 where none refuses.",
      resolve: ({ matrix }) => matrix.reason,
    }),
    reasonCodes: t.field({ type: ['String'], description: 'Codes of reasons.', resolve: ({ matrix }) => [...matrix.codes] }),
    reasonUnits: t.field({
      type: t.listRef('String', { nullable: true }),
      description:
        'By position in `reasonCodes`: in what `missing` is for that code; null where it is no amount, or not always in the same.',
      resolve: ({ matrix }) => [...matrix.units],
    }),
    missing: t.field({
      type: 'PackedColumn',
      description:
        "F64: how much is missing by the first refusing filter's reason, in the unit of its code; 0 where what is missing is no amount.",
      resolve: ({ matrix }) => matrix.missing,
    }),
    bits: t.field({
      type: 'PackedColumn',
      description:
        'U8: for each host as many bytes as hold one bit per filter; bit f is set where filter f refuses, whatever those before it said.',
      resolve: ({ matrix }) => matrix.refusedBy,
    }),
    rank: t.field({ type: 'PackedColumn', description: 'U32: 1 = best; 0 where a filter refuses.', resolve: ({ matrix }) => matrix.rank }),
    distance: t.field({
      type: 'PackedColumn',
      description:
        'F64: how far from passing; 0 = passes. The worst shortfall as a share of what was needed (1 for what is no number), and a thousandth for each further refusing filter.',
      resolve: ({ matrix }) => matrix.distance,
    }),
  }),
})
