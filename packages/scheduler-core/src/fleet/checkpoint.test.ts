import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import type { Profile } from '../records/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aRequest } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { atOnce } from '../values/steps.ts'
import { type Checkpoint, captureFleet, checkpointOf, FleetBuilder, rebuildFleet, restoreFleet } from './checkpoint.ts'
import { copyFleet } from './copy.ts'
import { Fleet } from './fleet.ts'
import { Historian, histories } from './history.suite.ts'
import { openOverlay } from './overlay.ts'

test.each([1, 2, 3, 4])('a checkpoint of a fleet that changes meanwhile has the state at the beginning (seed %i)', (seed) => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 5 }), (steps, pace) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      let capture = captureFleet(copyFleet(fleet), 1)
      let begun = JSON.stringify(checkpointOf(fleet))
      for (const step of steps) {
        fleet.apply(historian.next(fleet, step))
        for (let pauses = 0; pauses <= pace; pauses++) {
          const { done, value } = capture.next()
          if (!done) continue
          // the checkpoint must have the same values in the same order
          expect(JSON.stringify(value)).toBe(begun)
          capture = captureFleet(copyFleet(fleet), 1)
          begun = JSON.stringify(checkpointOf(fleet))
        }
      }
    }),
    { seed, numRuns: byExtent(12, 40) },
  )
})

test('a checkpoint does not change when the fleet changes', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      const taken: { readonly checkpoint: unknown; readonly json: string }[] = []
      for (const step of steps) {
        fleet.apply(historian.next(fleet, step))
        const checkpoint = checkpointOf(fleet)
        taken.push({ checkpoint, json: canonicalJson(checkpoint) })
      }
      for (const { checkpoint, json } of taken) expect(canonicalJson(checkpoint)).toBe(json)
    }),
    { seed: 1, numRuns: byExtent(8, 20) },
  )
})

test('a fleet that is restored in steps equals a fleet that is restored at once', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const checkpoint = checkpointOf(fleet)
      const rebuilding = rebuildFleet(checkpoint, undefined, 1)
      let pauses = 0
      let step = rebuilding.next()
      for (; !step.done; step = rebuilding.next()) pauses++
      expect(pauses).toBeGreaterThan(fleet.hosts.count)
      expect(JSON.stringify(checkpointOf(step.value))).toBe(JSON.stringify(checkpointOf(restoreFleet(checkpoint))))
    }),
    { seed: 1, numRuns: byExtent(4, 10) },
  )
})

/** Builds the fleet from pieces of the checkpoint's lists, with `size` elements in each piece. */
function inPieces(checkpoint: Checkpoint, size: number): Fleet {
  const { hosts, claims, keys, endedKeys, ...head } = checkpoint
  const builder = new FleetBuilder(head)
  const each = <Item>(list: readonly Item[], take: (piece: readonly Item[]) => void): void => {
    for (let first = 0; first < list.length; first += size) take(list.slice(first, first + size))
  }
  each(hosts, (piece) => atOnce(builder.takeHosts(piece)))
  each(claims, (piece) => atOnce(builder.takeClaims(piece)))
  each(keys, (piece) => builder.takeKeys(piece))
  return atOnce(builder.build(endedKeys))
}

const decidedOn = (fleet: Fleet): string => {
  const overlay = openOverlay(fleet)
  const { record, answer } = decide(fleet, overlay, {
    id: 'd',
    request: aRequest({ vcpus: 1, memoryMb: 1 }),
    profile: fleet.profiles.find('default') as Profile,
    seed: 'seed',
    attempt: 1,
    alternatesPerInstance: 2,
    allOrNothing: true,
    claimIds: ['c'],
  })
  overlay.discard()
  return canonicalJson({ record, answer })
}

test.each([1, 2])('a restored fleet decides as the original does, and applies the next entries identically (seed %i)', (seed) => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 39 }), fc.integer({ min: 1, max: 5 }), (steps, when, size) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      const twins: Fleet[] = []
      for (const [i, step] of steps.entries()) {
        if (i === when % steps.length) {
          const checkpoint = JSON.parse(JSON.stringify(checkpointOf(fleet))) as Checkpoint
          twins.push(restoreFleet(checkpoint), inPieces(checkpoint, size))
          // the checkpoint is not changed by the fleets that were built from it
          expect(canonicalJson(checkpoint)).toBe(canonicalJson(checkpointOf(fleet)))
        }
        const entry = historian.next(fleet, step)
        const verdicts = fleet.apply(entry)
        for (const twin of twins) {
          expect(twin.apply(entry)).toEqual(verdicts)
          expect(canonicalJson(checkpointOf(twin))).toBe(canonicalJson(checkpointOf(fleet)))
          expect(decidedOn(twin)).toBe(decidedOn(fleet))
        }
      }
    }),
    { seed, numRuns: byExtent(4, 20) },
  )
})

test('a checkpoint whose hosts are incomplete is refused', () => {
  const fleet = new Fleet()
  const historian = new Historian()
  fleet.apply(historian.first(fleet))
  const [steps] = fc.sample(histories, { seed: 1, numRuns: 1 })
  for (const step of steps ?? []) fleet.apply(historian.next(fleet, step))
  const checkpoint = checkpointOf(fleet)
  expect(checkpoint.claims.length).toBeGreaterThan(0)
  expect(() => restoreFleet({ ...checkpoint, hosts: [] })).toThrow(RangeError)
})
