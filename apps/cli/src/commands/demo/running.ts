import type { DemoStats } from './host.ts'

/** A claim whose instance runs on a host of the demo, in the form of the API. */
export interface RunningClaim {
  readonly instanceUuid: string | null
  readonly resources: readonly { readonly resourceClass: string; readonly amount: number }[]
  readonly cells: readonly { readonly cell: number; readonly cpus: number; readonly memoryMb: number; readonly pinned: readonly number[] }[]
  readonly gpus: readonly { readonly index: number; readonly milli: number }[]
}

/**
 * The report of a host on which the instances of these claims run. It lists the instances, and adds their usage to that of the host itself.
 * A claim without an instance adds nothing.
 */
export function statsWith(stats: DemoStats, claims: readonly RunningClaim[]): DemoStats {
  const running = claims.filter(({ instanceUuid }) => instanceUuid !== null)
  const used = (resourceClass: string): number =>
    sum(running.flatMap(({ resources }) => resources.map((one) => (one.resourceClass === resourceClass ? one.amount : 0))))
  const instances = running.flatMap(({ instanceUuid }) => instanceUuid ?? [])
  return {
    ...stats,
    vcpusUsed: stats.vcpusUsed + used('VCPU'),
    memoryMbUsed: stats.memoryMbUsed + used('MEMORY_MB'),
    localGbUsed: stats.localGbUsed + used('DISK_GB'),
    runningVms: instances.length,
    instances,
    numaCells: stats.numaCells.map((cell) => {
      const guests = running.flatMap(({ cells }) => cells.filter((guest) => guest.cell === cell.id))
      return {
        ...cell,
        cpuUsage: (cell.cpuUsage ?? 0) + sum(guests.map(({ cpus }) => cpus)),
        memoryUsageMb: (cell.memoryUsageMb ?? 0) + sum(guests.map(({ memoryMb }) => memoryMb)),
        pinnedCpus: [...(cell.pinnedCpus ?? []), ...guests.flatMap(({ pinned }) => pinned)].sort((a, b) => a - b),
      }
    }),
    gpus: stats.gpus.map((gpu) => ({
      ...gpu,
      usedMilli:
        (gpu.usedMilli ?? 0) + sum(running.flatMap(({ gpus }) => gpus.map(({ index, milli }) => (index === gpu.index ? milli : 0)))),
    })),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
