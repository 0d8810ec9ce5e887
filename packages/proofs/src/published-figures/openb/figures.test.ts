import { expect, test } from 'vitest'
import { figuresOf } from './figures.ts'
import type { OpenbResult } from './openb.ts'
import { openbReport, problemsOf } from './report.ts'

const aRun = (shape: Partial<OpenbResult> = {}): OpenbResult => ({
  seed: 1,
  gpuAllocatedPct: 90,
  gpus: 10,
  pods: 12,
  placed: 8,
  rejected: 4,
  departed: 0,
  overCommits: [],
  differences: [],
  effort: undefined,
  placements: '',
  placingMs: 2_000,
  ...shape,
})

test('conflicting proposals and proposals that the store refused are reported as shares of all proposals, and repeated calls are counted', () => {
  const effort = { counted: 8, fruitless: { 'claim.no_room': 1, 'claim.edited': 1, 'append.refused': 6 }, repeated: 2 }
  const { claimsPerSecond, answersPerSecond, effort: found } = figuresOf([aRun({ effort }), aRun({ effort, gpuAllocatedPct: 92 })])
  expect([claimsPerSecond, answersPerSecond]).toEqual([4, 6])
  expect(found).toEqual({
    proposals: 32,
    voidPct: 12.5,
    refusedEarlyPct: 37.5,
    retriesPerClaim: 1,
    byRule: { 'claim.no_room': 2, 'claim.edited': 2, 'append.refused': 12 },
    repeated: 4,
  })
})

test('without proposals the shares of conflicting and refused proposals are 0', () => {
  const effort = { counted: 0, fruitless: {}, repeated: 0 }
  expect(figuresOf([aRun({ effort })]).effort).toMatchObject({ proposals: 0, voidPct: 0, refusedEarlyPct: 0, retriesPerClaim: 0 })
})

test('several targets are columns of one table, compared with the first', () => {
  const effort = { counted: 8, fruitless: {}, repeated: 0 }
  const columns = [
    { name: 'in process', runs: [aRun()] },
    { name: 'nats, 3 replicas', runs: [aRun({ gpuAllocatedPct: 89.5, effort })] },
  ]
  const { heads, rows, figures } = openbReport('t', columns, { replay: 'openb' })
  expect(heads).toEqual(['in process', 'nats, 3 replicas'])
  expect(rows.find(([what]) => what === 'difference from the first')).toEqual(['difference from the first', [0, -0.5], 'points'])
  expect(rows.find(([what]) => what === 'conflicting proposals')).toEqual(['conflicting proposals', [undefined, 0], '%'])
  expect(figures).toMatchObject({ replay: 'openb', targets: [{ name: 'in process' }, { gpuAllocatedPct: 89.5, runs: [{ seed: 1 }] }] })
})

test('the first over-commitments and differences are listed, each with its target and seed', () => {
  const runs = [aRun({ overCommits: ['a', 'b'], differences: ['c'] })]
  expect(problemsOf([{ name: 'nats, 3 replicas', runs }], 2)).toEqual(['nats, 3 replicas, seed 1: a', 'nats, 3 replicas, seed 1: b'])
})
