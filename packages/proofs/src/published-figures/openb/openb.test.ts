import { describe, expect, test } from 'vitest'
import { createInProcessDriver } from '../in-process.ts'
import type { OpenbNode } from './nodes.ts'
import { runOpenb } from './openb.ts'
import type { OpenbPod } from './pods.ts'
import { typicalPods } from './profiles.ts'
import { askedMilli, drawDepartures, makeWorkload } from './workload.ts'

const aNode = (name: string, shape: Partial<OpenbNode> = {}): OpenbNode => ({
  name,
  cpuMilli: 8_000,
  memoryMib: 1_024,
  gpus: 2,
  gpuModel: 'G',
  ...shape,
})
const aPod = (name: string, shape: Partial<OpenbPod> = {}): OpenbPod => ({
  name,
  cpuMilli: 100,
  memoryMib: 1,
  gpus: 1,
  gpuMilliEach: 1_000,
  gpuModels: [],
  ...shape,
})

const run = (nodes: readonly OpenbNode[], pods: readonly OpenbPod[], profile = 'first-fit', scale = 1) =>
  runOpenb({ nodes, pods, profile, scale, seed: 1, createDriver: (seed) => createInProcessDriver({ seed }) })

describe('allocation', () => {
  test('shares of GPUs are placed on one GPU although another one is idle, and a pod that needs an unknown model finds no host', async () => {
    const half = { gpuMilliEach: 500 }
    // the whole GPU of the last pod that fits is idle only if the two halves before it are on one GPU
    const pods = [aPod('a', half), aPod('b', half), aPod('c'), aPod('d', { gpuModels: ['H'] })]
    expect(await run([aNode('n1')], pods)).toMatchObject({ gpuAllocatedPct: 100, gpus: 2, pods: 4, placed: 3, rejected: 1 })
  })

  test('a pod that needs a thousandth of a core more than is free is refused', async () => {
    const pods = [aPod('a', { cpuMilli: 7_999 }), aPod('b', { cpuMilli: 2 }), aPod('c', { cpuMilli: 8_000, gpus: 2 })]
    expect((await run([aNode('n1')], pods)).placed).toBe(1)
  })

  test('with several copies of the nodes and pods, the allocated share stays the same', async () => {
    const pods = [aPod('a'), aPod('b'), aPod('c')]
    expect(await run([aNode('n1')], pods, 'first-fit', 3)).toMatchObject({ gpuAllocatedPct: 100, gpus: 6, pods: 9, placed: 6 })
  })

  test.each(['first-fit', 'best-fit', 'dot-product', 'fgd', 'gpu-packing', 'gpu-clustering', 'random', 'nova'])(
    '%s places all pods that fit, and the same seed gives the same placements',
    async (profile) => {
      const pods = Array.from({ length: 8 }, (_, i) => aPod(`p${i}`, { gpuMilliEach: 500 }))
      const [first, second] = [await run([aNode('n1'), aNode('n2')], pods, profile), await run([aNode('n1'), aNode('n2')], pods, profile)]
      expect(first.gpuAllocatedPct).toBe(100)
      expect(second.placements).toBe(first.placements)
    },
  )

  test('departures free resources for later pods, and nothing is allocated twice', async () => {
    const pods = Array.from({ length: 40 }, (_, i) => aPod(`p${i}`))
    const options = { nodes: [aNode('n1')], pods, profile: 'first-fit', scale: 1, seed: 1, departures: 100 }
    const result = await runOpenb({ ...options, createDriver: (seed) => createInProcessDriver({ seed }) })
    expect(result.placed).toBeGreaterThan(2)
    expect(result.placed - result.departed).toBeLessThanOrEqual(2)
    expect([result.overCommits, result.gpuAllocatedPct]).toEqual([[], 50 * (result.placed - result.departed)])
  })
})

describe('workload', () => {
  const nodes = [aNode('n1'), aNode('n2'), aNode('n3')]
  const pods = Array.from({ length: 5 }, (_, i) => aPod(`p${i}`))

  test('the workload has every pod of the list, and then randomly repeated pods until 130 % of the GPUs are requested', () => {
    const made = makeWorkload(nodes, pods, 1, '1')
    expect(new Set(made.pods.slice(0, 5).map(({ name }) => name)).size).toBe(5)
    // The nodes have 6 GPUs, and 130 % of these are 7.8. So 8 pods with one GPU each are requested.
    expect(made.pods.reduce((sum, pod) => sum + askedMilli(pod), 0)).toBe(8_000)
    expect(made.capacityMilli).toBe(6_000)
  })

  test('the same seed gives the same workload, and another seed another one', () => {
    const namesOf = (seed: string) => makeWorkload(nodes, pods, 1, seed).pods.map(({ name }) => name)
    expect(namesOf('1')).toEqual(namesOf('1'))
    expect(namesOf('1')).not.toEqual(namesOf('2'))
  })

  test('the given percentage of pods departs, each after at most a fourth of all arrivals, and the seed determines the departures', () => {
    const leaves = drawDepartures(1_000, 30, '1')
    const leaving = leaves.flatMap((before, arrival) => (before === undefined ? [] : [before - arrival]))
    expect(leaving.length).toBeGreaterThan(200)
    expect(leaving.length).toBeLessThan(350)
    expect([Math.min(...leaving) >= 1, Math.max(...leaving) <= 250, leaves.every((before) => (before ?? 0) < 1_000)]).toEqual([
      true,
      true,
      true,
    ])
    expect(drawDepartures(1_000, 30, '1')).toEqual(leaves)
    expect(drawDepartures(1_000, 30, '2')).not.toEqual(leaves)
    expect(drawDepartures(50, 0, '1').every((before) => before === undefined)).toBe(true)
  })

  test('a list of pods without GPUs gives a finite workload', () => {
    expect(makeWorkload(nodes, [aPod('p', { gpus: 0, gpuMilliEach: 0 })], 1, '1').pods).toHaveLength(1)
  })
})

test('the typical pods of a profile are the most frequent kinds, with their shares of the covered pods', () => {
  const many = Array.from({ length: 15 }, (_, i) => aPod(`a${i}`))
  const some = Array.from({ length: 4 }, (_, i) => aPod(`b${i}`, { gpus: 2 }))
  const typical = typicalPods([...some, ...many, aPod('c', { gpus: 0, gpuMilliEach: 0 })])
  // 15 + 4 of 20 pods are 95 %, so the least frequent kind is left out.
  expect(typical.map(({ gpus, frequency }) => [gpus, frequency])).toEqual([
    [1, 15 / 19],
    [2, 4 / 19],
  ])
})
