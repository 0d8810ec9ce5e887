import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { type Checks, createChecks } from './checks.ts'
import { proveGroups } from './groups.ts'
import { proveIdempotency } from './idempotency.ts'
import { proveRace } from './race.ts'
import { proveReplay } from './replay.ts'
import { proveSurvive } from './survive.ts'

/** `npm run prove` with fewer rounds; real processes and a real database all the same. */
const proofs: readonly (readonly [string, (checks: Checks) => Promise<void>])[] = [
  ['race', (checks) => proveRace(checks, { rounds: byExtent(3, 30) })],
  ['idempotency', (checks) => proveIdempotency(checks, { rounds: byExtent(2, 5) })],
  ['survive', (checks) => proveSurvive(checks, { rounds: byExtent(1, 3), say: () => undefined })],
  ['groups', (checks) => proveGroups(checks, { rounds: byExtent(4, 30) })],
  ['replay', (checks) => proveReplay(checks, { requests: byExtent(60, 600) })],
]

test.each(proofs)('prove %s holds', async (_name, proof) => {
  const said: string[] = []
  const checks = createChecks((line) => said.push(line))
  await proof(checks)
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(checks.passed).toBeGreaterThan(2)
})
