import { expect, test } from 'vitest'
import { createChecks } from '../checks.ts'
import { readMix } from './command.ts'
import { linesOf } from './report.ts'
import { runLoad } from './run.ts'

test('a short load with every kind of call leaves a right state, and its lines have at most 80 characters', async () => {
  const said: string[] = []
  const say = (line: string): void => void said.push(line)
  const checks = createChecks(say)
  const mix = readMix('select=40,claim=20,release=20,report=10,heartbeat=10')
  const times = { seconds: 3, warmUpSeconds: 1, floorSeconds: 1 }
  const figures = await runLoad(checks, { hosts: 30, callers: 4, batch: 3, ...times, mix, seed: 'test', say })
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([])
  expect(checks.passed).toBe(7)
  expect(Object.keys(figures.byKind).sort()).toEqual(['claim', 'heartbeat', 'release', 'report', 'select'])
  expect(figures.placements).toBeGreaterThan(0)
  expect(figures.floor?.calls).toBeGreaterThan(0)
  for (const line of linesOf(figures)) expect(line.length).toBeLessThanOrEqual(80)
})
