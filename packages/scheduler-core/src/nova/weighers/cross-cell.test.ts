import { expect, test } from 'vitest'
import { aHostState, aNovaRequest } from '../testing/builders.ts'
import { crossCellWeigher } from './cross-cell.ts'

const raw = (host: Parameters<typeof aHostState>[0], request = {}) =>
  crossCellWeigher.prepare(aNovaRequest(request), {}, () => 1, 1)(aHostState(host))

const move = (allowCrossCellMove: boolean | undefined, cellUuid: string | null | undefined = 'c1') => ({
  requestedDestination: {
    host: undefined,
    node: undefined,
    cellUuid,
    allowCrossCellMove,
    aggregates: undefined,
    forbiddenAggregates: undefined,
  },
})

test.each([
  ['the host is in the cell that the instance comes from', 'c1', move(true), 1],
  ['the host is in a cell other than that of the instance', 'c2', move(true), -1],
  ['a host of no cell', undefined, move(true), -1],
  ['a move that must stay in its cell is not weighed', 'c2', move(false), 0],
  ['a move that does not state whether it may leave its cell is not weighed', 'c2', move(undefined), 0],
  ['a destination without a cell is not weighed', 'c2', move(true, null), 0],
  ['a request without a destination is not weighed', 'c2', {}, 0],
])('%s', (_what, cellUuid, request, number) => expect(raw({ cellUuid }, request)).toBe(number))
