import { expect, test } from 'vitest'
import { type Checks, createChecks } from './checks.ts'
import { proveFuzz } from './fuzz.ts'
import { proveGroups } from './groups.ts'
import { proveIdempotency } from './idempotency.ts'
import { proveRace } from './race.ts'
import { proveReplay } from './replay.ts'
import { proveSurvive } from './survive.ts'

/** Short forms of `npm run prove`; real processes and a real database all the same. */
const proofs: readonly (readonly [string, (checks: Checks) => Promise<void>])[] = [
  ['race', (checks) => proveRace(checks, { rounds: 3 })],
  ['idempotency', (checks) => proveIdempotency(checks, { rounds: 2 })],
  ['survive', (checks) => proveSurvive(checks, { rounds: 1, say: () => undefined })],
  ['groups', (checks) => proveGroups(checks, { rounds: 4 })],
  ['fuzz', (checks) => proveFuzz(checks, { documents: 100, hosts: 60, claims: 20, seed: 1, from: 0, callers: 4, say: () => undefined })],
  ['replay', (checks) => proveReplay(checks, { requests: 60 })],
]

test.each(proofs)('prove %s holds in its short form', { timeout: 240_000 }, async (_name, proof) => {
  const said: string[] = []
  const checks = createChecks((line) => said.push(line))
  await proof(checks)
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(checks.passed).toBeGreaterThan(2)
})
