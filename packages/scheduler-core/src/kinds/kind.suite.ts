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

/** A kind and what the tests of its laws need: hosts, asks, its state as plain data, and the smallest free amount of any unit. */
export interface KindCase<Ask, Grant> {
  readonly kind: ResourceKind<Ask, Grant>
  readonly hosts: fc.Arbitrary<HostShape>
  /** Creates a fleet whose first host has a given shape, for a kind that needs more than reports. */
  readonly fleetOf?: (shape: HostShape) => Fleet
  /** The same hosts with reports that count all usage. Absent for a kind whose usage no report can contain. */
  readonly counting?: fc.Arbitrary<HostShape>
  readonly asks: fc.Arbitrary<Ask>
  /** The options of each rule that has options. */
  readonly options?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Everything that `hold` and `drop` write for a host, as plain data. */
  state(fleet: Fleet, host: HostIndex): unknown
  /** The smallest free amount of any unit. A negative value means that more is held than exists. */
  leastLeft(fleet: Fleet, host: HostIndex): number
}

const H1 = 0 as HostIndex

/** Tests the laws of `kind.ts` for a kind at every feature level that changed its rules. */
export function kindSuite<Ask, Grant>(given: KindCase<Ask, Grant>): void {
  for (const level of [1, STRICT_CLAIMS, OWN_UNITS]) suiteAt(level, given)
}

function suiteAt<Ask, Grant>(
  level: number,
  { kind, hosts, fleetOf = (shape) => aFleet({ h1: shape }), counting, asks, options = {}, state, leastLeft }: KindCase<Ask, Grant>,
): void {
  /** Creates a fleet at this level. It has no claims yet, so the level affects only the inventory. */
  const hostOf = (shape: HostShape): Fleet => {
    const fleet = fleetOf(shape)
    fleet.restoreLevel(level)
    for (const { takeInventory } of allKinds) takeInventory(fleet.hosts, H1, fleet.hosts.get(H1).stats)
    return fleet
  }
  const rule = fc.constantFrom(...kind.rules)
  const chooser = (name: string) => kind.createAssign({ rule: name, options: options[name] ?? {} })

  describe(`the kind ${kind.name} at feature level ${level}`, () => {
    test('assign returns a grant exactly when canGive is true, under every rule, and fits accepts it', () => {
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

    test('assign and fits change nothing', () => {
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

    test('a host that cannot give what is asked has a reason with a specific code', () => {
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

    test('holds dropped in any order restore the exact state', () => {
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

    test('holding grants that fit never over-commits', () => {
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

    test('grants that were chosen on an emptier host never over-commit if fits accepts them', () => {
      fc.assert(
        fc.property(hosts, fc.array(fc.tuple(asks, rule), { minLength: 2, maxLength: 20 }), (shape, steps) => {
          // Simulates decisions on a stale view: every grant is chosen on the host's state at the beginning.
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

    // a kind without `keep` holds its units twice while an instance moves within its host
    if ((kind.isPlain === true || kind.keep !== undefined) && level >= (kind.isPlain === true ? STRICT_CLAIMS : OWN_UNITS))
      test('an instance may keep what it holds on its own host, or a part of it, however full the host is', () => {
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
            // A kind with units may be able to meet the ask only with units other than those in the grant.
            if (kind.isPlain === true) expect(kind.fits(fleet.hosts, H1, grant)).toBe(kind.canGive(fleet.hosts, H1, ask))
          }),
          { numRuns: byExtent(10, 40, 200) },
        )
      })

    test('an unknown rule is refused when the profile is written', () => {
      for (const name of ['nonsense', '', 'constructor', '__proto__']) expect(() => kind.createAssign({ rule: name })).toThrow(RangeError)
    })

    if (counting === undefined) return
    test('a materialised grant takes the amount that the report does not count (nothing below level 8), and a drop undoes this', () => {
      fc.assert(
        fc.property(counting, asks, rule, (shape, ask, name) => {
          const fleet = hostOf(shape)
          const grant = chooser(name)(fleet.hosts, H1, ask)
          fc.pre(grant !== undefined)
          const before = structuredClone(state(fleet, H1))
          kind.hold(fleet.hosts, H1, grant, true)
          // From STRICT_CLAIMS on, amounts that claims hold beyond the reported usage are subtracted too.
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
