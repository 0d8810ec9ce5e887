import { parseHostStats, parseRequestSpec, type RequestSpec } from '@gantt/scheduler-core'
import type { TraceHost } from '../driver.ts'
import type { HuaweiVm } from './vms.ts'

/** The host that all published work on this trace assumes: two NUMA cells, each with 40 CPUs and 90 GB. */
const CELL = { cpus: 40, memoryGb: 90 }
const CELLS = 2

/** A VM with more memory than this is split: half of it is in each cell. */
const SPLIT_ABOVE_GB = 10

const MIB_PER_GB = 1_024

/** The given number of equal hosts: h0, h1, ... */
export function huaweiHosts(count: number): readonly TraceHost[] {
  const cells = Array.from({ length: CELLS }, (_, id) => ({
    id,
    cpuset: Array.from({ length: CELL.cpus }, (_, cpu) => id * CELL.cpus + cpu),
    memoryMb: CELL.memoryGb * MIB_PER_GB,
  }))
  const stats = parseHostStats({
    vcpus: CELLS * CELL.cpus,
    vcpusUsed: 0,
    memoryMb: CELLS * CELL.memoryGb * MIB_PER_GB,
    memoryMbUsed: 0,
    localGb: 0,
    localGbUsed: 0,
    numaCells: cells,
  })
  if (!stats.ok) throw new Error(stats.problems.map(({ message }) => message).join('; '))
  return Array.from({ length: count }, (_, host) => ({ name: `h${host}`, stats: stats.value }))
}

/** Whether a VM is split over both cells. */
export const isSplit = ({ memoryGb }: HuaweiVm): boolean => memoryGb > SPLIT_ABOVE_GB

/** Creates the request of a VM. Requests are stored by flavor, because the trace has few flavors. */
export function createHuaweiRequests(): (vm: HuaweiVm) => RequestSpec {
  const known = new Map<string, RequestSpec>()
  return (vm) => {
    const flavour = `${vm.vcpus}U${vm.memoryGb}G`
    const request = known.get(flavour) ?? toRequest(vm, flavour)
    known.set(flavour, request)
    return request
  }
}

function toRequest(vm: HuaweiVm, flavour: string): RequestSpec {
  const cells = isSplit(vm) ? CELLS : 1
  const memoryMb = (vm.memoryGb * MIB_PER_GB) / cells
  const perCell = Math.ceil(vm.vcpus / cells)
  const parsed = parseRequestSpec({
    flavor: { name: flavour, vcpus: vm.vcpus, memoryMb: vm.memoryGb * MIB_PER_GB },
    numaTopology: {
      cells: Array.from({ length: cells }, (_, id) => {
        const first = id * perCell
        return { id, cpus: Array.from({ length: Math.min(perCell, vm.vcpus - first) }, (_, cpu) => first + cpu), memoryMb }
      }),
    },
  })
  if (!parsed.ok) throw new Error(`VM ${vm.id}: ${parsed.problems.map(({ message }) => message).join('; ')}`)
  return parsed.value
}
