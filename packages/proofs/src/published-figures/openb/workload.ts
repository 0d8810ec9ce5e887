import { createRandom, type Random } from '@gantt/scheduler-core'
import type { OpenbNode } from './nodes.ts'
import type { OpenbPod } from './pods.ts'

/** The GPUs that all pods request together, as a multiple of the GPUs of all nodes. */
const DEMAND = 1.3

/** The fleet and the list of pods of one run, each in the run's own order. */
export interface Workload {
  readonly nodes: readonly OpenbNode[]
  readonly pods: readonly OpenbPod[]
  /** The GPU capacity of all nodes together, in thousandths of a GPU. */
  readonly capacityMilli: number
}

/**
 * A workload: nodes in a random order, and pods in a random order, followed by pods that are drawn again until 130 % of the GPUs are
 * requested. The same seed gives the same workload. A scale above 1 multiplies nodes and pods.
 */
export function makeWorkload(nodes: readonly OpenbNode[], pods: readonly OpenbPod[], scale: number, seed: string): Workload {
  const capacityMilli = scale * nodes.reduce((sum, { gpus }) => sum + gpus * 1_000, 0)
  const nodeOrder = shuffle(copies(nodes, scale), createRandom(`${seed}/nodes`))
  const random = createRandom(`${seed}/pods`)
  const list = shuffle(copies(pods, scale), random)
  const drawn: OpenbPod[] = []
  let demand = list.reduce((sum, pod) => sum + askedMilli(pod), 0)
  if (list.some((pod) => askedMilli(pod) > 0))
    while (demand < DEMAND * capacityMilli) {
      const pod = list[random.below(list.length)] as OpenbPod
      drawn.push(pod)
      demand += askedMilli(pod)
    }
  return { nodes: nodeOrder, pods: [...list, ...drawn], capacityMilli }
}

/**
 * For each pod, the index of the arrival before which the pod departs. Undefined if it does not depart. The given percentage of pods
 * departs, each after a random number of further arrivals, at most a fourth of all arrivals. A pod whose departure would be after the last
 * arrival stays. Departures do not depend on the hosts of the pods.
 */
export function drawDepartures(arrivals: number, percent: number, seed: string): readonly (number | undefined)[] {
  const random = createRandom(`${seed}/departures`)
  const longest = Math.max(1, Math.floor(arrivals / 4))
  return Array.from({ length: arrivals }, (_, arrival) => {
    const leaves = random.below(100) < percent
    const after = 1 + random.below(longest)
    return leaves && arrival + after < arrivals ? arrival + after : undefined
  })
}

/** Thousandths of GPUs that a pod requests in total. */
export const askedMilli = ({ gpus, gpuMilliEach }: OpenbPod): number => gpus * gpuMilliEach

function copies<Item extends { readonly name: string }>(items: readonly Item[], count: number): Item[] {
  if (count === 1) return [...items]
  return Array.from({ length: count }, (_, copy) => items.map((item) => ({ ...item, name: `${item.name}-${copy}` }))).flat()
}

/** Shuffles a list in place (Fisher-Yates). */
export function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    const kept = items[last] as Item
    items[last] = items[other] as Item
    items[other] = kept
  }
  return items
}
