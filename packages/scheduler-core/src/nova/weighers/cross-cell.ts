import { noScore, novaWeigher } from '../parts/nova-weigher.ts'

/** For a move that is allowed to leave its Nova cell, prefers hosts in the cell of the source. */
export const crossCellWeigher = novaWeigher({
  name: 'CrossCellWeigher',
  description: 'Prefers hosts in the Nova cell from which the instance moves.',
  reads: [],
  cachedBy: ['requestedDestination'],
  unit: 'points',
  multiplier: { key: 'cross_cell_move_weight_multiplier', byDefault: 1_000_000 },
  prepare({ requestedDestination: destination }) {
    const cell = destination?.cellUuid
    if (cell === undefined || cell === null || destination?.allowCrossCellMove !== true) return noScore
    return (host) => (host.cellUuid === cell ? 1 : -1)
  },
})
