import type { RequestSpec } from '@gantt/scheduler-core'
import { Departures } from '../departures.ts'
import type { Placement } from '../driver.ts'
import { createInProcessDriver } from '../in-process.ts'
import { mean, trimmedMean } from '../statistics.ts'
import { TraceError } from '../trace-file.ts'
import { createHuaweiRequests, huaweiHosts } from './model.ts'
import { huaweiVersion } from './profiles.ts'
import type { HuaweiVm } from './vms.ts'

/** An episode has this many VMs in addition to those that first-fit starts without a wait. */
const BEYOND = 40

/** The share of the episodes that the trimmed mean leaves out at each end of the ranking. */
const TRIMMED = 0.1

export interface WaitOptions {
  readonly vms: readonly HuaweiVm[]
  /** The ids of the VMs at which the episodes begin. */
  readonly starts: readonly number[]
  readonly hosts: number
  readonly profile: string
  readonly seed: string
  onEpisode?(): void
}

export interface WaitResult {
  readonly trimmedMeanWaitSeconds: number
  readonly meanWaitSeconds: number
  readonly episodes: number
  readonly vms: number
  /** How many placements were attempted. Attempts that only determine the length of the episodes are not counted. */
  readonly decisions: number
}

/**
 * Replays episodes on a few hosts, strictly first come, first served. Returns the mean and the trimmed mean, over all episodes, of the
 * total waiting time of an episode's VMs.
 */
export async function runHuaweiWait({ vms, starts, hosts, profile, seed, onEpisode }: WaitOptions): Promise<WaitResult> {
  const indexOf = new Map(vms.map(({ id }, index) => [id, index]))
  const requestOf = createHuaweiRequests()
  const waits: number[] = []
  let placed = 0
  let decisions = 0
  for (const start of starts) {
    const first = indexOf.get(start)
    if (first === undefined) throw new TraceError(`an episode begins at VM ${start}, which the list of VMs does not have`)
    const length = await startedAtOnce(vms, first, hosts, requestOf)
    const episode = vms.slice(first, first + length + BEYOND)
    const queue = await openQueue(hosts, profile, `${seed}/${start}`, requestOf)
    let wait = 0
    for (const vm of episode) wait += (await queue.start(vm)) - vm.arrivalS
    waits.push(wait)
    placed += episode.length
    decisions += queue.decisions()
    onEpisode?.()
  }
  return {
    trimmedMeanWaitSeconds: trimmedMean(waits, TRIMMED),
    meanWaitSeconds: mean(waits),
    episodes: starts.length,
    vms: placed,
    decisions,
  }
}

/**
 * How many VMs first-fit starts before the first VM that has to wait. As in the published work, a VM is tried as soon as the previous VM
 * has started. So the resources of VMs that end after this start, but before the arrival of the VM that is tried, are not free yet.
 */
async function startedAtOnce(
  vms: readonly HuaweiVm[],
  first: number,
  hosts: number,
  requestOf: (vm: HuaweiVm) => RequestSpec,
): Promise<number> {
  const queue = await openQueue(hosts, 'first-fit', 'length', requestOf)
  let index = first
  for (; index < vms.length; index++) if (!(await queue.startsAtOnce(vms[index] as HuaweiVm))) break
  return index - first
}

interface Queue {
  /** Starts a VM as soon as it fits, after all earlier VMs. Returns its start time in seconds of the trace. */
  start(vm: HuaweiVm): Promise<number>
  /** Starts a VM at its arrival if it fits into the resources that were free when the previous VM started. Returns whether it started. */
  startsAtOnce(vm: HuaweiVm): Promise<boolean>
  decisions(): number
}

async function openQueue(hosts: number, profileName: string, seed: string, requestOf: (vm: HuaweiVm) => RequestSpec): Promise<Queue> {
  const running = new Departures<Placement>()
  let nowS = 0
  let decisions = 0
  const driver = createInProcessDriver({ seed, clock: () => nowS * 1_000 })
  await driver.reportHosts(huaweiHosts(hosts))
  const version = huaweiVersion(profileName)
  const profile = version === undefined ? profileName : await driver.writeProfile(version)

  const ends = () => running.next ?? Number.POSITIVE_INFINITY
  /** Ends all VMs that are due at this time. */
  const endUntil = async (timeS: number): Promise<void> => {
    while (ends() <= timeS) await driver.release(running.take() as Placement)
  }
  const place = (vm: HuaweiVm) => {
    decisions++
    return driver.place(requestOf(vm), profile)
  }
  return {
    async start(vm) {
      await endUntil(vm.arrivalS)
      nowS = Math.max(nowS, vm.arrivalS)
      let placement = await place(vm)
      while (placement === undefined) {
        if (running.size === 0) throw new TraceError(`VM ${vm.id} (${vm.vcpus} vCPU, ${vm.memoryGb} GB) does not fit on an empty host`)
        nowS = ends()
        await endUntil(nowS)
        placement = await place(vm)
      }
      running.add(nowS + vm.lifetimeS, placement)
      return nowS
    },
    async startsAtOnce(vm) {
      let placement = await place(vm)
      if (placement === undefined) return false
      if (ends() <= vm.arrivalS) {
        // The VM is placed again when more resources are free, so it can get another host.
        await driver.release(placement)
        await endUntil(vm.arrivalS)
        placement = await place(vm)
      }
      nowS = vm.arrivalS
      if (placement !== undefined) running.add(nowS + vm.lifetimeS, placement)
      return placement !== undefined
    },
    decisions: () => decisions,
  }
}
