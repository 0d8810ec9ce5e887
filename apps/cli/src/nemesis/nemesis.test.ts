import { expect, test } from 'vitest'
import { createChecks } from '../prove/checks.ts'
import { runNemesis } from './run.ts'

test('the nemesis finds nothing in its short form: two replicas, kill -9 of one, and a fail-over to the standby', {
  timeout: 240_000,
}, async () => {
  const said: string[] = []
  const checks = createChecks((line) => said.push(line))
  const figures = await runNemesis(
    checks,
    {
      engine: 'postgres',
      seconds: 5,
      replicas: 2,
      clients: 8,
      seed: 'short',
      faults: ['fail-over to the standby', 'kill -9 of a replica'],
    },
    (line) => said.push(line),
  )
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(Object.keys(figures.faults).length).toBeGreaterThan(0)
  expect(figures.claims).toBeGreaterThan(0)
})
