import type { HostView } from './driver.ts'
import { CPU_CLASS } from './openb/model.ts'
import type { OpenbNode } from './openb/nodes.ts'
import type { OpenbPod } from './openb/pods.ts'

/** A placed pod from the caller's view: its host, and the period in which it certainly held its resources. */
export interface Stay {
  readonly pod: OpenbPod
  readonly host: string
  /** The indices of the pod's GPUs. */
  readonly gpus: readonly number[]
  /** The index, among all events of the caller, of the event in which the placement was answered. */
  readonly from: number
  /** The index of the event in which the release was sent. Infinity if the pod was not released. */
  readonly until: number
}

const WHOLE_GPU = 1_000

/** The resources that one pod uses on its host, in whole units or in thousandths of a core or of a GPU. */
function* takenBy({ pod, gpus }: Pick<Stay, 'pod' | 'gpus'>): Generator<readonly [what: string, amount: number]> {
  yield [CPU_CLASS, pod.cpuMilli]
  yield ['MEMORY_MB', pod.memoryMib]
  for (const index of gpus) yield [`GPU ${index}`, pod.gpuMilliEach]
}

/** The capacity of a node for a resource. 0 for a GPU that the node does not have. */
function capacityOf({ cpuMilli, memoryMib, gpus }: OpenbNode, what: string): number {
  if (what === CPU_CLASS) return cpuMilli
  if (what === 'MEMORY_MB') return memoryMib
  return Number(what.slice('GPU '.length)) < gpus ? WHOLE_GPU : 0
}

/**
 * Allocations beyond the capacity of a node, computed only from data of the caller: the trace, the answers, and their order. A pod is
 * assumed to hold its resources from its answer until its release is sent. Pods that overlap in this sense certainly held resources at the
 * same time.
 */
export function findOverCommits(nodes: readonly OpenbNode[], stays: readonly Stay[]): readonly string[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const ends = stays.filter(({ until }) => until !== Number.POSITIVE_INFINITY)
  const turns = [...stays.map((stay) => ({ stay, at: stay.from, sign: 1 })), ...ends.map((stay) => ({ stay, at: stay.until, sign: -1 }))]
  const held = new Map<string, number>()
  const found: string[] = []
  for (const { stay, sign } of turns.sort((a, b) => a.at - b.at)) {
    const node = byName.get(stay.host)
    if (node === undefined) {
      found.push(`${stay.pod.name} was placed on ${stay.host}, which the trace does not have`)
      continue
    }
    for (const [what, amount] of takenBy(stay)) {
      const key = `${stay.host} ${what}`
      const sum = (held.get(key) ?? 0) + sign * amount
      held.set(key, sum)
      const most = capacityOf(node, what)
      if (sign > 0 && sum > most) found.push(`${stay.host} has ${most} of ${what}; ${sum} were promised at once, with ${stay.pod.name}`)
    }
    if (stay.gpus.length !== stay.pod.gpus && sign > 0)
      found.push(`${stay.pod.name} asks for ${stay.pod.gpus} GPUs and got ${stay.gpus.length}`)
  }
  return found
}

/** The differences between one replica's final state and the data of the caller: different sums, negative free amounts, missing hosts. */
export function findDifferences(nodes: readonly OpenbNode[], stays: readonly Stay[], shown: readonly HostView[]): readonly string[] {
  const held = new Map<string, number>()
  for (const stay of stays)
    if (stay.until === Number.POSITIVE_INFINITY)
      for (const [what, amount] of takenBy(stay)) {
        const key = `${stay.host} ${what}`
        held.set(key, (held.get(key) ?? 0) + amount)
      }
  const views = new Map(shown.map((view) => [view.name, view]))
  return nodes.flatMap((node) => {
    const view = views.get(node.name)
    if (view === undefined) return [`${node.name} is not shown`]
    const kinds = [CPU_CLASS, 'MEMORY_MB', ...Array.from({ length: node.gpus }, (_, index) => `GPU ${index}`)]
    return kinds.flatMap((what) => {
      const expected = capacityOf(node, what) - (held.get(`${node.name} ${what}`) ?? 0)
      const free = view.free.get(what)
      return free === expected ? [] : [`${node.name} shows ${free ?? 'nothing'} of ${what} as free; by the answers it is ${expected}`]
    })
  })
}
