import fc from 'fast-check'
import { expect, test } from 'vitest'
import { audit, digestAll, digestPart, partsOf } from '../audit/index.ts'
import { checkpointOf } from './checkpoint.ts'
import { copyFleet, copySteps } from './copy.ts'
import { Fleet } from './fleet.ts'
import { grantsOf, Historian, histories } from './history.suite.ts'
import { openOverlay } from './overlay.ts'

/** Everything that can be told of a fleet: its digests, its checkpoint in its order, and what takes no part in either. */
const stateOf = (fleet: Fleet): string =>
  JSON.stringify([
    digestAll(Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part))),
    checkpointOf(fleet),
    [...fleet.ledger.reserved].map(({ id }) => id),
    [...fleet.ledger.changed].map(({ id }) => id),
    [...fleet.hosts.columns.version.slice(0, fleet.hosts.count)],
    fleet.hosts.records.map(({ host }) => fleet.hosts.nodesOf(host)),
    [...fleet.groups.byUuid.values()].map(({ members }) => [...members]),
  ])

test.each([1, 2, 3])('a copy goes on as the original does, and neither writes in the other (seed %i)', (seed) => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 39 }), (steps, when) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      let copy: Fleet | undefined
      let before = ''
      const later = []
      for (const [i, step] of steps.entries()) {
        if (i === when % steps.length) {
          copy = copyFleet(fleet)
          before = stateOf(fleet)
          expect(stateOf(copy)).toBe(before)
        }
        const entry = historian.next(fleet, step)
        const verdicts = fleet.apply(entry)
        if (copy !== undefined) later.push({ entry, verdicts, state: stateOf(fleet) })
      }
      if (copy === undefined) return
      // the original has gone on by now
      expect(stateOf(copy)).toBe(before)
      const end = stateOf(fleet)
      for (const { entry, verdicts, state } of later) {
        expect(copy.apply(entry)).toEqual(verdicts)
        expect(stateOf(copy)).toBe(state)
      }
      expect(stateOf(fleet)).toBe(end)
      expect([...audit(copy)].flatMap((looked) => looked.findings)).toEqual([])
    }),
    { seed, numRuns: 40 },
  )
})

test('an overlay on a copy is not seen by the original', () => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 10 }), (steps, choice) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const copy = copyFleet(fleet)
      const before = stateOf(fleet)
      const overlay = openOverlay(copy)
      for (const { host, node, index } of copy.hosts.records) {
        const grants = grantsOf(copy, index, choice)
        if (grants !== undefined) overlay.hold({ host, node, grants, claim: 'hypothetical', instance: null }, null)
      }
      for (const claim of copy.ledger.claims.values()) if (claim.state === 'CONFIRMED') overlay.lift(claim, true)
      expect(stateOf(fleet)).toBe(before)
      overlay.discard()
    }),
    { seed: 1, numRuns: 40 },
  )
})

test('a fleet with an open overlay is not copied', () => {
  const fleet = new Fleet()
  openOverlay(fleet)
  expect(() => copyFleet(fleet)).toThrow('a fleet cannot be copied while an overlay is open')
})

test('a fleet that goes on while it is copied in pieces is not copied', () => {
  const fleet = new Fleet()
  const historian = new Historian()
  fleet.apply(historian.first(fleet))
  const steps = copySteps(fleet, 1)
  steps.next()
  fleet.apply(historian.next(fleet, { acts: [], elapsedMs: 0, trust: 0 }))
  expect(() => steps.next()).toThrow('the fleet went on from revision 1 to 2 while it was copied')
})
