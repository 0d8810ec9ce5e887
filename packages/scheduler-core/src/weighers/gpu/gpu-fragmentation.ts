import type { Weigher, WeigherOptions } from '../../contracts/weigher.ts'
import { WHOLE_GPU } from '../../hosts/gpu-device.ts'
import { createFragmentation } from '../../kinds/gpu/fragmentation.ts'
import { gpuKind } from '../../kinds/gpu/gpu.ts'
import { demandOf } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'

const fragmentationOf = memoByObject((options: WeigherOptions) => createFragmentation(options))

/**
 * Prefers the placement that leaves the most GPU capacity usable for typical requests (FGD, USENIX ATC 2023). The score is 0 to 100 points
 * for the best choice of GPUs on the host. The options list the typical requests.
 */
export const gpuFragmentationWeigher: Weigher = {
  name: 'GpuFragmentationWeigher',
  description: 'Prefers placements after which typical requests can use more of the free GPU capacity.',
  reads: ['vcpus', 'vcpusUsed', 'cpuAllocationRatio', 'inventories', 'memoryMb', 'memoryMbUsed', 'ramAllocationRatio', 'gpus'],
  unit: 'points',
  checkOptions: (options) => void createFragmentation(options),
  prepare(request, { hosts }, options) {
    const fragmentation = fragmentationOf(options)
    const ask = gpuKind.ask(request) ?? { count: 0, shareMilli: WHOLE_GPU, models: [], amounts: demandOf(request).amounts }
    return (host) => fragmentation.choose(hosts, host, ask)?.points ?? 0
  },
  cacheKey(request, options = {}) {
    const { cpuClass } = fragmentationOf(options)
    const { count, shareMilli, models } = request.gpus ?? { count: 0, shareMilli: 0, models: [] }
    return JSON.stringify([demandOf(request).amounts[cpuClass] ?? 0, count, shareMilli, ...models])
  },
}
