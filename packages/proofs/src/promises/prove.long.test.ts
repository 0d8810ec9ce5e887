import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { type Checks, createChecks } from '../checks.ts'
import { proveFuzz } from './fuzz.ts'
import { proveGroups } from './groups.ts'
import { proveIdempotency } from './idempotency.ts'
import { proveRace } from './race.ts'
import { proveReplay } from './replay.ts'
import { proveSurvive } from './survive.ts'

/** The proofs of `npm run prove` with fewer rounds, but with real processes and a real database. */
const proofs: readonly (readonly [string, (checks: Checks) => Promise<void>])[] = [
  [
    'fuzz',
    (checks) =>
      proveFuzz(checks, {
        documents: byExtent(100, 100, 1_000),
        hosts: 60,
        claims: 20,
        seed: 1,
        from: 0,
        callers: 4,
        say: () => undefined,
      }),
  ],
]

/** Proofs that run only in the long form, because in the short form the simulation and the nemesis test the same promises. */
const longProofs: typeof proofs = [
  ['race', (checks) => proveRace(checks, { rounds: 30 })],
  ['survive', (checks) => proveSurvive(checks, { rounds: 3, say: () => undefined })],
  ['idempotency', (checks) => proveIdempotency(checks, { rounds: 5 })],
  ['groups', (checks) => proveGroups(checks, { rounds: 30 })],
  ['replay', (checks) => proveReplay(checks, { requests: 600 })],
]

test.each(proofs)('prove %s holds', (_name, proof) => expectToHold(proof))
test.each(longProofs)(`prove %s holds`, (_name, proof) => expectToHold(proof))

async function expectToHold(proof: (checks: Checks) => Promise<void>): Promise<void> {
  const said: string[] = []
  const checks = createChecks((line) => said.push(line))
  await proof(checks)
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(checks.passed).toBeGreaterThan(2)
}
