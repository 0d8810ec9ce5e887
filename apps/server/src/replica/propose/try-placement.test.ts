import { atOnce, type Fleet } from '@gantt/scheduler-core'
import { aFleet, aRequest } from '@gantt/scheduler-core/testing'
import { expect, test } from 'vitest'
import type { PlacementCall } from './placement.ts'
import { tryPlacementInSteps } from './try-placement.ts'

const aCall = (mode: PlacementCall['mode'], vcpus: number): PlacementCall => ({
  account: 'nova',
  key: 'k',
  digest: 'k',
  request: aRequest({ vcpus, memoryMb: 64 }),
  profile: 'default',
  mode,
  ttlMs: 120_000,
  deadlineMs: 120_000,
  alternatesPerInstance: 0,
  intent: 'CREATE',
  source: null,
  allOrNothing: true,
})

/** What a fleet shows to every reader: its position, its claims, and whether something is held tentatively. */
const stateOf = (fleet: Fleet) => ({ place: fleet.place, claims: fleet.ledger.claims.size, isLocked: fleet.isLocked })

test.each([
  ['the changes of a call that finds a host', aCall('RESERVE', 1), { changes: [{ decision: { id: expect.any(String) } }] }],
  ['the answer of a call that claims nothing', aCall('NONE', 1), { type: 'placed', claims: [undefined] }],
  ['the refusal of a call without a host, with its cause', aCall('RESERVE', 64), { type: 'refused', cause: { code: 'cpu.too_few' } }],
])('trying a call returns %s, and the fleet is as it was', (_what, call, expected) => {
  const fleet = aFleet({ h1: {}, h2: {} })
  const before = stateOf(fleet)
  expect(atOnce(tryPlacementInSteps(fleet, call))).toMatchObject(expected)
  expect(stateOf(fleet)).toEqual(before)
})

test('only the search for the cause of a refusal yields, and if the search is ended early, the fleet is as it was', () => {
  const fleet = aFleet({ h1: {}, h2: {} })
  const before = stateOf(fleet)
  expect(tryPlacementInSteps(fleet, aCall('RESERVE', 1)).next().done).toBe(true)
  expect(tryPlacementInSteps(fleet, aCall('NONE', 1)).next().done).toBe(true)
  const refused = tryPlacementInSteps(fleet, aCall('RESERVE', 64))
  expect(refused.next().done).toBe(false)
  expect(fleet.isLocked).toBe(true)
  refused.return(undefined as never)
  expect(stateOf(fleet)).toEqual(before)
})
