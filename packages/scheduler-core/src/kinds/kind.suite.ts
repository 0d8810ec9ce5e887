import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { aFleet, type HostShape } from '../testing/index.ts'
import { codes } from '../text/codes.ts'
import type { HostIndex } from '../values/host-index.ts'
import { OWN_UNITS, STRICT_CLAIMS } from '../values/levels.ts'
import { allKinds } from './index.ts'
import type { ResourceKind } from './kind.ts'

/** A resource kind, and the generators and functions for testing the rules that every kind must satisfy. */
export interface KindCase<Ask, Grant> {
  readonly kind: ResourceKind<Ask, Grant>
  readonly hosts: fc.Arbitrary<HostShape>
  /** Creates a fleet whose first host has this shape. Only for kinds that need more than a report of the host. */
  readonly fleetOf?: (shape: HostShape) => Fleet
  /** Hosts like `hosts`, but with reports that count usage. Absent for a kind whose usage is never reported. */
  readonly counting?: fc.Arbitrary<HostShape>
  readonly asks: fc.Arbitrary<Ask>
  /** The options of assignment rules, by the name of the rule. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The data that `hold` and `drop` write for a host, as plain data. */
  state(fleet: Fleet, host: HostIndex): unknown
  /** The free amount of the unit with the least free. Negative if more is held than exists. */
  leastLeft(fleet: Fleet, host: HostIndex): number
}

const H1 = 0 as HostIndex

/** Tests that a kind satisfies the rules in the docstring of `ResourceKind`, at each feature level that changed the rules. */
export function kindSuite<Ask, Grant>(given: KindCase<Ask, Grant>): void {
  for (const level of [1, STRICT_CLAIMS, OWN_UNITS]) suiteAt(level, given)
}

function suiteAt<Ask, Grant>(
  level: number,
  { kind, hosts, fleetOf = (shape) => aFleet({ h1: shape }), counting, asks, options = {}, state, leastLeft }: KindCase<Ask, Grant>,
): void {
  /** Creates a fleet at this feature level. */
  const hostOf = (shape: HostShape): Fleet => {
    const fleet = fleetOf(shape)
    fleet.restoreLevel(level)
    for (const { takeInventory } of allKinds) takeInventory(fleet.hosts, H1, fleet.hosts.get(H1).stats)
    return fleet
  }
  const rule = fc.constantFrom(...kind.rules)
  const chooser = (name: string) => kind.createAssign({ rule: name, options: options[name] ?? {} })

  describe(`the kind ${kind.name} at feature level ${level}`, () => {
    test('under every assignment rule, assign returns a grant exactly when canGive is true, and fits accepts this grant', () => {
      fc.assert(
        fc.property(hosts, fc.array(asks, { maxLength: 6 }), asks, (shape, earlier, ask) => {
          const fleet = hostOf(shape)
          for (const taken of earlier) {
            const grant = chooser(kind.rules[0] as string)(fleet.hosts, H1, taken)
            if (grant !== undefined) kind.hold(fleet.hosts, H1, grant, false)
          }
          for (const name of kind.rules) {
            const grant = chooser(name)(fleet.hosts, H1, ask)
            expect([name, grant !== undefined]).toEqual([name, kind.canGive(fleet.hosts, H1, ask)])
            if (grant !== undefined) expect([name, kind.fits(fleet.hosts, H1, grant)]).toEqual([name, true])
          }
        }),
        { numRuns: byExtent(15, 60, 300) },
      )
    })

    test('assign and fits do not change the state of the host', () => {
      fc.assert(
        fc.property(hosts, asks, rule, (shape, ask, name) => {
          const fleet = hostOf(shape)
          const before = structuredClone(state(fleet, H1))
          const grant = chooser(name)(fleet.hosts, H1, ask)
          if (grant !== undefined) kind.fits(fleet.hosts, H1, grant)
          expect(state(fleet, H1)).toEqual(before)
        }),
        { numRuns: byExtent(10, 40, 200) },
      )
    })

    test('if canGive is false, reason returns a known code with the needed and the available amount', () => {
      fc.assert(
        fc.property(hosts, asks, (shape, ask) => {
          const fleet = hostOf(shape)
          fc.pre(!kind.canGive(fleet.hosts, H1, ask))
          const { code, need, have } = kind.reason(fleet.hosts, H1, ask)
          expect(codes).toHaveProperty([code])
          expect([need, have]).not.toContain(undefined)
        }),
        { numRuns: byExtent(10, 40, 200) },
      )
    })

    test('if all held grants are dropped, in any order, the host has exactly its state from before', () => {
      fc.assert(
        fc.property(hosts, fc.array(fc.tuple(asks, rule, fc.nat()), { minLength: 1, maxLength: 8 }), (shape, steps) => {
          const fleet = hostOf(shape)
          const before = structuredClone(state(fleet, H1))
          const held: { grant: Grant; order: number }[] = []
          for (const [ask, name, order] of steps) {
            const grant = chooser(name)(fleet.hosts, H1, ask)
            if (grant === undefined) continue
            kind.hold(fleet.hosts, H1, grant, false)
            held.push({ grant, order })
          }
          for (const { grant } of held.sort((a, b) => a.order - b.order)) kind.drop(fleet.hosts, H1, grant, false)
          expect(state(fleet, H1)).toEqual(before)
        }),
        { numRuns: byExtent(15, 60, 300) },
      )
    })

    test('a copied fleet has the same state, and changes of the copy leave the original unchanged', () => {
      fc.assert(
        fc.property(hosts, fc.array(asks, { maxLength: 4 }), asks, (shape, earlier, ask) => {
          const fleet = hostOf(shape)
          const choose = chooser(kind.rules[0] as string)
          for (const taken of earlier) {
            const grant = choose(fleet.hosts, H1, taken)
            if (grant !== undefined) kind.hold(fleet.hosts, H1, grant, false)
          }
          const before = structuredClone(state(fleet, H1))
          const copy = copyFleet(fleet)
          expect(state(copy, H1)).toEqual(before)
          const grant = choose(copy.hosts, H1, ask)
          fc.pre(grant !== undefined)
          kind.hold(copy.hosts, H1, grant, false)
          expect(state(fleet, H1)).toEqual(before)
          kind.hold(fleet.hosts, H1, grant, false)
          expect(state(fleet, H1)).toEqual(state(copy, H1))
        }),
        { numRuns: byExtent(10, 100) },
      )
    })

    test('holding grants that fits accepted never makes a free amount negative', () => {
      fc.assert(
        fc.property(hosts, fc.array(fc.tuple(asks, rule), { maxLength: 30 }), (shape, steps) => {
          const fleet = hostOf(shape)
          const floor = Math.min(0, leastLeft(fleet, H1))
          for (const [ask, name] of steps) {
            const grant = chooser(name)(fleet.hosts, H1, ask)
            if (grant !== undefined && kind.fits(fleet.hosts, H1, grant)) kind.hold(fleet.hosts, H1, grant, false)
            expect(leastLeft(fleet, H1)).toBeGreaterThanOrEqual(floor)
          }
        }),
        { numRuns: byExtent(15, 60, 300) },
      )
    })

    test('holding grants that were chosen on an older, emptier state never makes a free amount negative if fits accepted them', () => {
      fc.assert(
        fc.property(hosts, fc.array(fc.tuple(asks, rule), { minLength: 2, maxLength: 20 }), (shape, steps) => {
          // every grant is chosen on the fleet `stale`, which never changes, and checked and held on the other fleet (`fleet`)
          const [stale, fleet] = [hostOf(shape), hostOf(shape)]
          const floor = Math.min(0, leastLeft(fleet, H1))
          for (const [ask, name] of steps) {
            const grant = chooser(name)(stale.hosts, H1, ask)
            if (grant !== undefined && kind.fits(fleet.hosts, H1, grant)) kind.hold(fleet.hosts, H1, grant, false)
            expect(leastLeft(fleet, H1)).toBeGreaterThanOrEqual(floor)
          }
        }),
        { numRuns: byExtent(15, 60, 300) },
      )
    })

    // Kinds with units but without `keep` are not tested: an instance that moves within its host holds their units twice.
    if ((kind.isPlain === true || kind.keep !== undefined) && level >= (kind.isPlain === true ? STRICT_CLAIMS : OWN_UNITS))
      test('an instance that moves within its host can keep what it holds, even if the host is full', () => {
        fc.assert(
          fc.property(hosts, asks, rule, fc.integer({ min: 1, max: 5 }), (shape, ask, name, others) => {
            const fleet = hostOf(shape)
            const grant = chooser(name)(fleet.hosts, H1, ask)
            fc.pre(grant !== undefined)
            for (let i = 0; i < others; i++) kind.hold(fleet.hosts, H1, grant, false)
            fleet.hosts.mover = { host: H1, grants: { [kind.name]: grant }, isFree: true }
            expect(kind.canGive(fleet.hosts, H1, ask)).toBe(true)
            expect(kind.prepareCanGive?.(fleet.hosts, ask)(H1) ?? true).toBe(true)
            const again = chooser(name)(fleet.hosts, H1, ask)
            if (kind.isPlain === true) expect(again).toEqual(grant)
            else expect(again !== undefined && kind.isPartOf?.(again, grant) && kind.isPartOf(grant, again)).toBe(true)
            expect(kind.fits(fleet.hosts, H1, grant, grant)).toBe(true)
            fleet.hosts.mover = null
            // not compared for kinds with units, because units that are not in the grant can meet the ask
            if (kind.isPlain === true) expect(kind.fits(fleet.hosts, H1, grant)).toBe(kind.canGive(fleet.hosts, H1, ask))
          }),
          { numRuns: byExtent(10, 40, 200) },
        )
      })

    test('createAssign throws RangeError for an unknown rule', () => {
      for (const name of ['nonsense', '', 'constructor', '__proto__']) expect(() => kind.createAssign({ rule: name })).toThrow(RangeError)
    })

    if (counting === undefined) return
    test('holding a materialised grant takes only what exceeds the reported usage (nothing below level 8), and a drop undoes this', () => {
      fc.assert(
        fc.property(counting, asks, rule, (shape, ask, name) => {
          const fleet = hostOf(shape)
          const grant = chooser(name)(fleet.hosts, H1, ask)
          fc.pre(grant !== undefined)
          const before = structuredClone(state(fleet, H1))
          kind.hold(fleet.hosts, H1, grant, true)
          // from feature level STRICT_CLAIMS on, the amount by which claims exceed the reported usage is subtracted
          const isBelow = level >= STRICT_CLAIMS && (kind.usedBelowClaims?.(fleet.hosts, H1) ?? []).length > 0
          if (isBelow) expect(state(fleet, H1)).not.toEqual(before)
          else expect(state(fleet, H1)).toEqual(before)
          kind.drop(fleet.hosts, H1, grant, true)
          expect(state(fleet, H1)).toEqual(before)
        }),
        { numRuns: byExtent(10, 40, 200) },
      )
    })
  })
}
