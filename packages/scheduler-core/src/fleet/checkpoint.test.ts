import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { captureFleet, checkpointOf, rebuildFleet, restoreFleet } from './checkpoint.ts'
import { copyFleet } from './copy.ts'
import { Fleet } from './fleet.ts'
import { Historian, histories } from './history.suite.ts'

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
