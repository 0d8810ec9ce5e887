import { describe, expect, test } from 'vitest'
import { EMPTY } from '../scenario.ts'
import { askedRows, type Capacity, type Known, resultRows, type Simulation, verdictOf } from './compared.ts'

const zones = (used: number) => [{ key: 'z', hosts: 1, usage: [{ resourceClass: 'VCPU', capacity: 8, used, free: 8 - used }] }]

const simulation = (more: Partial<Simulation>): Simulation => ({
  ...{
    asOf: '7',
    placed: 2,
    failed: 0,
    notDecided: 0,
    complete: true,
    decisionCount: 2,
    solved: [],
    curve: [],
    firstFailure: null,
    drain: null,
  },
  decisions: [],
  utilisationBefore: zones(0),
  utilisationAfter: zones(2),
  ...more,
})

const capacity = (more: Partial<Capacity>): Capacity => ({
  ...{ asOf: '7', fits: 6, exact: true, cut: null, method: 'PER_HOST', hostsWithRoom: 1, groups: [], bottleneck: [], drain: null },
  ...more,
})

const failure: Simulation['firstFailure'] = {
  ...{ copy: 1, found: 0 },
  reasons: [{ code: 'memory.short', filter: 'RamFilter', hosts: 3, text: 'RamFilter needs 4 MiB' }],
  explanation: { headline: '', hostCount: 3, steps: [] },
}

const cellsOf = (known: readonly Known[], label: string) => resultRows(known).find((row) => row.label === label)

describe('the difference between scenarios', () => {
  test('an empty value and a value that is null differ from an absent one', () => {
    const scenarioWith = (part: object) => ({ ...EMPTY, request: { flavor: { vcpus: 1 }, ...part } })
    const compared = askedRows([scenarioWith({}), scenarioWith({ members: [], hints: {}, image: null })])
    expect(compared.map(({ label, cells }) => [label, ...cells.map((cell) => cell?.text)])).toEqual([
      ['members', '-', '[]'],
      ['hints', '-', '{}'],
      ['image', '-', 'null'],
    ])
  })

  test('the difference between scenarios is listed by field, without equal fields', () => {
    const other = {
      ...EMPTY,
      request: { flavor: { vcpus: 4, memoryMb: 4_096, rootGb: 20 }, availabilityZone: 'az1', ignoreHosts: ['a', 'b'] },
      count: 1_000,
      overlay: { removeHosts: ['h1'], disableHosts: ['h2'] },
      at: '9',
    }
    expect(askedRows([EMPTY, other]).map(({ label, cells }) => [label, ...cells.map((cell) => cell?.text)])).toEqual([
      ['flavor.vcpus', '2', '4'],
      ['availabilityZone', '-', 'az1'],
      ['ignoreHosts', '-', 'a, b'],
      ['asked', 'once', '1,000 times'],
      ['fleet', 'as it is', 'remove h1; disable h2'],
      ['moment', 'now', 'revision 9'],
    ])
  })

  test('the list of differences is empty if only the names of the scenarios differ', () =>
    expect(askedRows([EMPTY, { ...EMPTY, name: 'b' }])).toEqual([]))
})

describe('the results of scenarios', () => {
  const one: Known = { simulation: simulation({ placed: 1, failed: 1, firstFailure: failure }), capacity: capacity({ fits: 0 }) }
  const two: Known = { simulation: simulation({ utilisationAfter: zones(4) }), capacity: capacity({}) }

  test('results are compared with those of the first scenario', () => {
    expect(cellsOf([one, two], 'Placed')).toMatchObject({ differs: true, cells: [{ text: '1 of 2' }, { text: '2 of 2', delta: '+1' }] })
    expect(cellsOf([two, one], 'Placed')?.cells[1]).toMatchObject({ delta: '−1' })
    expect(cellsOf([one, two], 'Failure cause')?.cells.map((cell) => cell?.text)).toEqual([
      'request 2: memory.short on 3 hosts',
      'none: all were placed',
    ])
    expect(cellsOf([one, two], 'VCPU, before → after')?.cells.map((cell) => cell?.text)).toEqual(['0 % → 25 %', '0 % → 50 %'])
    expect(verdictOf(['A', 'B'], [one, two], 1)).toBe('“B” places 1 more than “A”: 2 of 2.')
    expect(verdictOf(['A', 'B'], [two, one], 1)).toBe('“B” places 1 fewer than “A”: 1 of 2.')
    expect(verdictOf(['A', 'B'], [two, two], 1)).toBe('“B” places as many as “A”: 2.')
  })

  test('results are not compared while one of them is unknown', () => {
    const row = cellsOf([one, { simulation: undefined, capacity: undefined }], 'Placed')
    expect(row).toMatchObject({ differs: false, cells: [{ text: '1 of 2' }, undefined] })
    expect(verdictOf(['A', 'B'], [one, { simulation: undefined, capacity: undefined }], 1)).toBeUndefined()
  })

  test('results are not compared if counts are not exact', () => {
    const cut: Known = { ...two, capacity: capacity({ fits: 9, exact: false, cut: 'DEADLINE' }) }
    expect(cellsOf([one, cut], 'More fit')?.cells[1]).toEqual({ text: 'at least 9', delta: undefined })
  })

  test('there is a row for unfinished computations only if there are any', () => {
    expect(cellsOf([one, two], 'Not decided in time')).toBeUndefined()
    expect(cellsOf([one, { ...two, simulation: simulation({ notDecided: 3 }) }], 'Not decided in time')?.cells[1]).toEqual({ text: '3' })
  })

  test('there is a row for instances without a destination only if hosts are drained', () => {
    const drained = (moved: number, stuck: number): Known => ({
      ...two,
      simulation: simulation({
        drain: {
          ...{ moved, stuck, withoutClaims: 0 },
          instances: stuck === 0 ? [] : [{ claimId: 'c', instanceUuid: null, fromHost: 'h1', message: 'No host can take it.' }],
        },
      }),
    })
    expect(cellsOf([one, two], 'No destination after draining')).toBeUndefined()
    expect(cellsOf([one, drained(2, 3)], 'No destination after draining')?.cells).toEqual([
      { text: 'nothing is drained' },
      { text: '3 of 5', delta: undefined, title: 'c on h1: No host can take it.\nand 2 more' },
    ])
    expect(cellsOf([drained(1, 1), drained(2, 0)], 'No destination after draining')?.cells[1]).toEqual({ text: '0 of 2', delta: '−1' })
  })
})
