import { expect, test } from 'vitest'
import type { HostView } from './driver.ts'
import { CPU_CLASS } from './openb/model.ts'
import type { OpenbNode } from './openb/nodes.ts'
import type { OpenbPod } from './openb/pods.ts'
import { findDifferences, findOverCommits, type Stay } from './room.ts'

const nodes: readonly OpenbNode[] = [{ name: 'n1', cpuMilli: 1_000, memoryMib: 100, gpus: 2, gpuModel: 'G' }]
const aPod = (shape: Partial<OpenbPod> = {}): OpenbPod => ({
  name: 'p',
  cpuMilli: 400,
  memoryMib: 10,
  gpus: 1,
  gpuMilliEach: 500,
  gpuModels: [],
  ...shape,
})
const aStay = (from: number, shape: Partial<Stay> = {}): Stay => ({
  pod: aPod(),
  host: 'n1',
  gpus: [0],
  from,
  until: Number.POSITIVE_INFINITY,
  ...shape,
})

test.each<[string, readonly Stay[], readonly string[]]>([
  ['an exact fit is not reported', [aStay(1), aStay(2)], []],
  [
    'a third half of one GPU is reported',
    [aStay(1, { pod: aPod({ cpuMilli: 1 }) }), aStay(2, { pod: aPod({ cpuMilli: 1 }) }), aStay(3, { pod: aPod({ cpuMilli: 1 }) })],
    ['n1 has 1000 of GPU 0; 1500 were promised at once, with p'],
  ],
  ['the GPU of a pod that was released before is free', [aStay(1, { until: 2 }), aStay(3), aStay(4)], []],
  [
    'the GPU of a pod that is released only afterwards is not free',
    [aStay(1, { until: 4 }), aStay(2), aStay(3, { pod: aPod({ cpuMilli: 1 }) })],
    ['n1 has 1000 of GPU 0; 1500 were promised at once, with p'],
  ],
  [
    'too much CPU is reported, whichever GPUs the pods use',
    [aStay(1), aStay(2), aStay(3, { gpus: [1] })],
    [`n1 has 1000 of ${CPU_CLASS}; 1200 were promised at once, with p`],
  ],
  [
    'too much memory is reported',
    [aStay(1, { pod: aPod({ memoryMib: 101 }) })],
    ['n1 has 100 of MEMORY_MB; 101 were promised at once, with p'],
  ],
  ['a GPU that the node does not have is reported', [aStay(1, { gpus: [2] })], ['n1 has 0 of GPU 2; 500 were promised at once, with p']],
  ['fewer GPUs than requested are reported', [aStay(1, { pod: aPod({ gpus: 2 }) })], ['p asks for 2 GPUs and got 1']],
  ['a host that the trace does not have is reported', [aStay(1, { host: 'n9' })], ['p was placed on n9, which the trace does not have']],
])('%s', (_name, stays, found) => {
  expect(findOverCommits(nodes, stays)).toEqual(found)
})

const shown = (free: Readonly<Record<string, number>>): HostView => ({ name: 'n1', free: new Map(Object.entries(free)) })

test("a replica's state is compared with the answers to the caller, host by host", () => {
  const stays = [aStay(1), aStay(2, { until: 3 })]
  const right = { [CPU_CLASS]: 600, MEMORY_MB: 90, 'GPU 0': 500, 'GPU 1': 1_000 }
  expect(findDifferences(nodes, stays, [shown(right)])).toEqual([])
  expect(findDifferences(nodes, stays, [shown({ ...right, 'GPU 0': -500 })])).toEqual([
    'n1 shows -500 of GPU 0 as free; by the answers it is 500',
  ])
  expect(findDifferences(nodes, stays, [shown({ MEMORY_MB: 90, 'GPU 0': 500, 'GPU 1': 1_000 })])).toEqual([
    `n1 shows nothing of ${CPU_CLASS} as free; by the answers it is 600`,
  ])
  expect(findDifferences(nodes, stays, [])).toEqual(['n1 is not shown'])
})
