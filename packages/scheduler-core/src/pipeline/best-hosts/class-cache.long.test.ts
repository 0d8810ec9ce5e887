import { expect, test } from 'vitest'
import { openOverlay } from '../../fleet/overlay.ts'
import { profileSchema } from '../../records/profile.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aRequest } from '../../testing/index.ts'
import { classCacheOf } from './class-cache.ts'
import type { ScoreTable } from './score-table.ts'

test('endless kinds of requests, each with scores of its own, keep no more tables in memory than the bound', () => {
  const fleet = aFleet(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`h${i}`, { vcpus: 32, memoryMb: 65_536 + i }])))
  const weighers = [{ name: 'DotProductWeigher', multiplier: 1, options: {} }]
  const profile = profileSchema.parse({ name: 'p', number: 1, filters: [], weighers, normalisation: 'fixed' })
  const kinds = 1_700
  for (let kind = 0; kind < kinds; kind++)
    for (let time = 0; time < 2; time++) {
      const overlay = openOverlay(fleet)
      const input = { id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: true, claimIds: ['c'] }
      expect(decide(fleet, overlay, { ...input, request: aRequest({ memoryMb: 512 + kind }) }).found).toBe(1)
      overlay.discard()
    }
  const { classes, tables } = classCacheOf(fleet)
  const kept = new Map<ScoreTable, number>()
  classes.deleteIf(({ table }) => kept.set(table, table.bytes) === undefined)
  expect(tables.size).toBeLessThan(kinds)
  expect(kept.size).toBeLessThanOrEqual(tables.size)
  expect([...kept.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(33_554_432)
})
