import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../../examine/examine.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { FEATURE_LEVEL, type MoveIntent } from '../../records/change.ts'
import type { Claim } from '../../records/claim.ts'
import type { Profile } from '../../records/profile.ts'
import { liftSource } from '../../schedulers/decide.ts'
import { aClaim, aLog, aMove, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../../testing/index.ts'
import { reasonText } from '../../text/reason-text.ts'
import { STATED_MAXIMA } from '../../values/levels.ts'
import { resize } from '../testing/resize.ts'

/**
 * Placement checks `max_unit` at each write, and allows an excess of capacity that does not increase (_check_capacity_exceeded). In these
 * tests, an instance holds 4 units of a resource class, and its host then reports a smaller total or maximum. The tests check which sizes
 * the instance can be resized to afterwards.
 */

type Inventory = Omit<NonNullable<HostShape['inventories']>[number], 'resourceClass'>

const CLASS = 'CUSTOM_FPGA'
const profile = builtInProfiles.find(({ name }) => name === 'default') as Profile
const shapeOf = (inventory: Inventory): HostShape => ({
  ...{ vcpus: 16, memoryMb: 65_536 },
  inventories: [{ resourceClass: CLASS, used: null, ...inventory }],
})

/**
 * A log in which an instance has 4 units of the class on h1, and h1 then reports the inventory `inventory`. h2 has 8 units of the class.
 */
function logOf(inventory: Inventory, level: number = FEATURE_LEVEL): TestLog {
  const log = aLog(new Fleet())
  log.append([{ type: 'feature', level }, aReport('h1', shapeOf({ total: 8 })), aReport('h2', shapeOf({ total: 8 }))])
  const grants = { classes: { VCPU: 1, MEMORY_MB: 64, [CLASS]: 4 } }
  expect(log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants, instances: [aUuid(1)] })])).toEqual([undefined])
  log.append([aReport('h1', shapeOf(inventory), 2)])
  return log
}

const sourceOf = ({ fleet }: TestLog): Claim => fleet.ledger.claims.get('a.0') as Claim
const asking = (amount: number) => ({
  ...{ vcpus: 1, memoryMb: 64, requestedResources: [{ amounts: [{ resourceClass: CLASS, amount }] }] },
})

function judged(log: TestLog, amount: number, intent: MoveIntent, host: string): string | undefined {
  const { id: claim, fence, instance } = sourceOf(log)
  const grants = { classes: { VCPU: 1, MEMORY_MB: 64, [CLASS]: amount } }
  return log.append([aMove({ source: { claim, fence }, intent, key: 'm', hosts: [host], instances: [instance], grants })])[0]
}

const isGranted = (log: TestLog, amount: number, intent?: 'REBUILD'): boolean =>
  resize(log, { ...asking(amount), forceHosts: ['h1'] }, profile, intent).found === 1

describe.each<readonly [what: string, Inventory, amount: number, isAllowed: boolean, wasAllowed: boolean]>([
  ['without a stated maximum the instance keeps its amount', { total: 3 }, 4, true, true],
  ["Placement's number for no maximum", { total: 3, maxUnit: 2_147_483_647 }, 4, true, true],
  ['a maximum equal to the new total: the instance may not keep its amount', { total: 3, maxUnit: 3 }, 4, false, true],
  ['a maximum equal to the new total: the instance may shrink to it', { total: 3, maxUnit: 3 }, 3, true, true],
  ['a maximum equal to the new total: the instance may shrink below it', { total: 3, maxUnit: 3 }, 1, true, true],
  ['a maximum equal to the total without the reserved amount', { total: 4, reserved: 1, maxUnit: 3 }, 4, false, true],
  ['a maximum below the total', { total: 8, maxUnit: 2 }, 3, false, false],
  ['a maximum below a total that is too small', { total: 3, maxUnit: 2 }, 3, false, false],
  ['a maximum below a total that is too small: the instance may shrink to the maximum', { total: 3, maxUnit: 2 }, 2, true, true],
  ['a maximum above the total and above the amount of the instance', { total: 2, maxUnit: 8 }, 4, true, true],
  ['a maximum above the total and below the amount of the instance', { total: 2, maxUnit: 3 }, 4, false, false],
  ['an allocation ratio does not raise the maximum', { total: 3, maxUnit: 3, allocationRatio: 4 }, 4, false, true],
])('%s', (_what, inventory, amount, isAllowed, wasAllowed) => {
  test.each([
    [FEATURE_LEVEL, isAllowed],
    [STATED_MAXIMA - 1, wasAllowed],
  ])('a resize in place at feature level %i is granted: %s', (level, expected) => {
    expect(isGranted(logOf(inventory, level), amount)).toBe(expected)
    expect(judged(logOf(inventory, level), amount, 'RESIZE', 'h1')).toBe(expected ? undefined : 'claim.no_room')
  })

  test('a rebuild keeps all resources, because it writes nothing', () => expect(isGranted(logOf(inventory), 4, 'REBUILD')).toBe(true))

  test('a move to another host is checked only at its destination', () => {
    expect(judged(logOf(inventory), 4, 'COLD_MIGRATE', 'h2')).toBeUndefined()
  })

  test('the reason of a refusal names the maximum', () => {
    if (isAllowed) return
    const log = logOf(inventory)
    const overlay = openOverlay(log.fleet)
    const request = aRequest(asking(amount))
    liftSource(overlay, request, sourceOf(log), 'RESIZE')
    const reasons = prepareChecks(log.fleet, request, profile)
      .checksOf(0 as never, true)
      .flatMap(({ reason }) => (reason === undefined ? [] : [[reason.code, reasonText(reason)]]))
    overlay.discard()
    expect(reasons).toHaveLength(1)
    expect(reasons[0]?.[0]).toBe('class.unit')
    expect(reasons[0]?.[1]).toContain(`1 to ${inventory.maxUnit} in steps of 1`)
  })
})

test('a rebuild that asks for more than the instance has is checked like any other request', () => {
  expect(isGranted(logOf({ total: 8, maxUnit: 4 }), 5, 'REBUILD')).toBe(false)
})
