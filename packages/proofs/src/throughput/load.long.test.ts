import { expect, test } from 'vitest'
import { createChecks } from '../checks.ts'
import { readMix } from './command.ts'
import { linesOf } from './report.ts'
import { runLoad } from './run.ts'

test.each([1, 4])('a short load with every kind of call and %i operations in a request leaves a right state', async (operations) => {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const checks = createChecks(say)
  const mix = readMix('select=40,claim=20,release=20,report=10,heartbeat=10')
  const times = { seconds: 3, warmUpSeconds: 1, floorSeconds: 1 }
  const figures = await runLoad(checks, {
    hosts: 30,
    callers: 4,
    batch: operations === 1 ? 3 : 1,
    operations,
    ...times,
    mix,
    seed: 'test',
    say,
  })
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(checks.passed).toBe(7)
  expect(Object.keys(figures.byKind).sort()).toEqual(['claim', 'heartbeat', 'release', 'report', 'select'])
  expect(figures.placements).toBeGreaterThan(0)
  expect(figures.floor?.calls).toBeGreaterThan(0)
  // the lines fit a terminal
  for (const line of linesOf(figures)) expect(line.length).toBeLessThanOrEqual(80)
})
