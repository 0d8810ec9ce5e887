import { Departures } from '../departures.ts'
import type { Placement } from '../driver.ts'
import { createInProcessDriver } from '../in-process.ts'
import { createHuaweiRequests, huaweiHosts } from './model.ts'
import { huaweiVersion } from './profiles.ts'
import type { HuaweiVm } from './vms.ts'

export interface FillOptions {
  readonly vms: readonly HuaweiVm[]
  readonly hosts: number
  readonly profile: string
  readonly seed: string
  onVm?(): void
}

export interface FillResult {
  readonly vms: number
  readonly rejected: number
  /** The vCPUs of the VMs that found no host. */
  readonly rejectedVcpus: number
  /** The maximum, over time, of the count of hosts with VMs. */
  readonly peakHosts: number
}

/** Replays the whole trace, with creations and deletions, on a fixed number of hosts. A VM that fits on no host is rejected. */
export async function runHuaweiFill({ vms, hosts, profile: profileName, seed, onVm }: FillOptions): Promise<FillResult> {
  const requestOf = createHuaweiRequests()
  const running = new Departures<Placement>()
  const heldOn = new Map<string, number>()
  const count = { rejected: 0, rejectedVcpus: 0, peakHosts: 0 }
  let nowS = 0
  const driver = createInProcessDriver({ seed, clock: () => nowS * 1_000 })
  await driver.reportHosts(huaweiHosts(hosts))
  const version = huaweiVersion(profileName)
  const profile = version === undefined ? profileName : await driver.writeProfile(version)
  for (const vm of vms) {
    while ((running.next ?? Number.POSITIVE_INFINITY) <= vm.arrivalS) {
      nowS = running.next as number
      const ended = running.take() as Placement
      await driver.release(ended)
      const left = (heldOn.get(ended.host) ?? 0) - 1
      if (left > 0) heldOn.set(ended.host, left)
      else heldOn.delete(ended.host)
    }
    nowS = vm.arrivalS
    const placement = await driver.place(requestOf(vm), profile)
    if (placement === undefined) {
      count.rejected++
      count.rejectedVcpus += vm.vcpus
    } else {
      heldOn.set(placement.host, (heldOn.get(placement.host) ?? 0) + 1)
      running.add(nowS + vm.lifetimeS, placement)
      count.peakHosts = Math.max(count.peakHosts, heldOn.size)
    }
    onVm?.()
  }
  return { vms: vms.length, ...count }
}
