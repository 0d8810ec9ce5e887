import { createHash } from 'node:crypto'
import type { Driver, Effort, Placement } from '../driver.ts'
import { findDifferences, findOverCommits, type Stay } from '../room.ts'
import { sendInWindow } from '../window.ts'
import { createOpenbRequests, openbHost } from './model.ts'
import type { OpenbNode } from './nodes.ts'
import type { OpenbPod } from './pods.ts'
import { openbVersion } from './profiles.ts'
import { askedMilli, drawDepartures, makeWorkload } from './workload.ts'

export interface OpenbOptions {
  /** The nodes of the trace that are used, in the order of the file. */
  readonly nodes: readonly OpenbNode[]
  readonly pods: readonly OpenbPod[]
  readonly profile: string
  readonly scale: number
  readonly seed: number
  /** How many calls are sent concurrently. The default is 1. */
  readonly concurrency?: number
  /** The percentage of pods that depart, 0 to 100. The default is 0. */
  readonly departures?: number
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
  readonly departed: number
  /** Allocations beyond the capacity of nodes, computed only from the caller's data. */
  readonly overCommits: readonly string[]
  /** The differences between the replicas' final state and the answers to the caller. Empty if the replicas' state cannot be read. */
  readonly differences: readonly string[]
  /** Counts of proposals and retries. Undefined if the trace is replayed in this process, without a service. */
  readonly effort: Effort | undefined
  /** SHA-256 over the sequence of pod -> host and GPUs: two runs with the same digest made the same placements. */
  readonly placements: string
  /** The duration of the placements, without reports and the final checks. */
  readonly placingMs: number
}

/** Places the list of pods of one seed, without retries. Computes the share of the GPUs that is allocated at the end. */
export async function runOpenb(options: OpenbOptions): Promise<OpenbResult> {
  const { nodes, pods, profile: profileName, scale, seed } = options
  const workload = makeWorkload(nodes, pods, scale, String(seed))
  const driver = options.createDriver(String(seed))
  try {
    await driver.reportHosts(workload.nodes.map(openbHost))
    const version = openbVersion(profileName, pods)
    const profile = version === undefined ? profileName : await driver.writeProfile(version)
    const startedAt = performance.now()
    const outcomes = await placeAll(driver, profile, workload.pods, options)
    const placingMs = Math.round(performance.now() - startedAt)
    const stays = outcomes.flatMap(({ stay }) => (stay === undefined ? [] : [stay]))
    const live = stays.filter(({ until }) => until === Number.POSITIVE_INFINITY)
    const inspected = await driver.inspect?.()
    return {
      seed,
      gpuAllocatedPct: (100 * live.reduce((sum, { pod }) => sum + askedMilli(pod), 0)) / workload.capacityMilli,
      gpus: workload.capacityMilli / 1_000,
      pods: workload.pods.length,
      placed: stays.length,
      rejected: workload.pods.length - stays.length,
      departed: stays.length - live.length,
      overCommits: findOverCommits(workload.nodes, stays),
      differences: (inspected?.replicas ?? []).flatMap((shown) => findDifferences(workload.nodes, stays, shown)),
      effort: inspected?.effort,
      placements: digestOf(outcomes),
      placingMs,
    }
  } finally {
    await driver.close()
  }
}

interface Outcome {
  readonly pod: OpenbPod
  /** Undefined if no host fitted the pod. */
  readonly stay: Stay | undefined
}

/** Sends the pods in order. Before a pod, sends the departures that are due. A departure waits for the answer about its pod's placement. */
async function placeAll(
  driver: Driver,
  profile: string,
  pods: readonly OpenbPod[],
  { concurrency = 1, departures = 0, seed, onPods }: OpenbOptions,
): Promise<readonly Outcome[]> {
  const requestOf = createOpenbRequests()
  const leaving = new Map<number, number[]>()
  for (const [arrival, before] of drawDepartures(pods.length, departures, String(seed)).entries())
    if (before !== undefined) leaving.set(before, [...(leaving.get(before) ?? []), arrival])
  // The index of the caller's last event. The order of events is enough to detect overlaps, so no times are needed.
  let moment = 0
  let done = 0
  const answers: Promise<{ readonly placement: Placement; readonly from: number } | undefined>[] = []
  const ends = new Map<number, number>()
  const leave = async (arrival: number): Promise<void> => {
    const answer = await answers[arrival]
    if (answer === undefined) return
    ends.set(arrival, ++moment)
    await driver.release(answer.placement)
  }
  const arrive = async (pod: OpenbPod, arrival: number) => {
    await Promise.all((leaving.get(arrival) ?? []).map(leave))
    const placement = await driver.place(requestOf(pod), profile)
    onPods?.(++done, pods.length)
    return placement && { placement, from: ++moment }
  }
  await sendInWindow(pods, concurrency, async (pod, arrival) => {
    const answer = arrive(pod, arrival)
    answers[arrival] = answer
    await answer
  })
  const placed = await Promise.all(answers)
  return pods.map((pod, arrival) => {
    const answer = placed[arrival]
    if (answer === undefined) return { pod, stay: undefined }
    const { host, gpus } = answer.placement
    return { pod, stay: { pod, host, gpus, from: answer.from, until: ends.get(arrival) ?? Number.POSITIVE_INFINITY } }
  })
}

function digestOf(outcomes: readonly Outcome[]): string {
  const digest = createHash('sha256')
  for (const { pod, stay } of outcomes) digest.update(`${pod.name} ${stay?.host ?? '-'} ${stay?.gpus.join(',') ?? ''}\n`)
  return digest.digest('hex')
}
