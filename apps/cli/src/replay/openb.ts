import { createHash } from 'node:crypto'
import type { Driver, Placement } from './driver.ts'
import { createOpenbRequests, openbHost } from './openb-model.ts'
import type { OpenbNode } from './openb-nodes.ts'
import type { OpenbPod } from './openb-pods.ts'
import { openbVersion } from './openb-profiles.ts'
import { askedMilli, makeWorkload } from './openb-workload.ts'

export interface OpenbOptions {
  /** Nodes that take part, in the file's order. */
  readonly nodes: readonly OpenbNode[]
  readonly pods: readonly OpenbPod[]
  readonly profile: string
  readonly scale: number
  readonly seed: number
  createDriver(seed: string): Driver
  onPods?(done: number, of: number): void
}

export interface OpenbResult {
  readonly seed: number
  readonly gpuAllocatedPct: number
  readonly gpus: number
  readonly pods: number
  readonly placed: number
  readonly rejected: number
  /** SHA-256 over the sequence of pod -> host and GPUs: two runs with the same digest placed alike. */
  readonly placements: string
}

/** Places one seed's list of pods, without retries and departures: what share of the GPUs is allocated in the end? */
export async function runOpenb({
  nodes,
  pods,
  profile: profileName,
  scale,
  seed,
  createDriver,
  onPods,
}: OpenbOptions): Promise<OpenbResult> {
  const workload = makeWorkload(nodes, pods, scale, String(seed))
  const requestOf = createOpenbRequests()
  const driver = createDriver(String(seed))
  const digest = createHash('sha256')
  let allocatedMilli = 0
  let placed = 0
  try {
    await driver.reportHosts(workload.nodes.map(openbHost))
    const version = openbVersion(profileName, pods)
    const profile = version === undefined ? profileName : await driver.writeProfile(version)
    for (const [done, pod] of workload.pods.entries()) {
      const placement: Placement | undefined = await driver.place(requestOf(pod), profile)
      if (placement !== undefined) {
        placed++
        allocatedMilli += askedMilli(pod)
      }
      digest.update(`${pod.name} ${placement?.host ?? '-'} ${placement?.gpus.join(',') ?? ''}\n`)
      onPods?.(done + 1, workload.pods.length)
    }
  } finally {
    await driver.close()
  }
  return {
    seed,
    gpuAllocatedPct: (100 * allocatedMilli) / workload.capacityMilli,
    gpus: workload.capacityMilli / 1_000,
    pods: workload.pods.length,
    placed,
    rejected: workload.pods.length - placed,
    placements: digest.digest('hex'),
  }
}
