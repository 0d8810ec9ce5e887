import { expect, test } from 'vitest'
import { copyFleet } from '../fleet/copy.ts'
import { aLog, aReport } from '../testing/index.ts'
import { SLICE } from '../values/steps.ts'
import { fleetChanges } from './fleet-changes.ts'

const HOSTS = 200

test('the comparison of two fleets yields at least once for each slice of hosts', () => {
  const log = aLog()
  log.append(Array.from({ length: HOSTS }, (_, i) => aReport(`h${i}`)))
  const before = copyFleet(log.fleet)
  log.append([aReport('h0', { memoryMb: 512 }, 2)])
  const steps = fleetChanges(before, log.fleet, null)
  let pauses = 0
  for (;;) {
    const step = steps.next()
    if (step.done) {
      expect(step.value.hosts).toBe(1)
      break
    }
    pauses++
  }
  expect(pauses).toBeGreaterThanOrEqual(Math.floor(HOSTS / SLICE))
})
