import { WHOLE_GPU } from '../kinds/gpu/device.ts'
import { createFragmentation } from '../kinds/gpu/fragmentation.ts'
import { gpuKind } from '../kinds/gpu/gpu.ts'
import { demandOf } from '../request/request-spec.ts'
import { dimensionKey } from './fill.ts'
import type { Weigher } from './weigher.ts'

/**
 * Prefers the placement that leaves the most GPU capacity usable for typical requests (FGD, USENIX ATC 2023): points of
 * 0..100 for the best choice of GPUs on the host. The options name the typical requests.
 */
export const gpuFragmentationWeigher: Weigher = {
  name: 'GpuFragmentationWeigher',
  description: 'The less GPU capacity the placement leaves that typical requests cannot use, the better.',
  unit: 'points',
  checkOptions: (options) => void createFragmentation(options),
  prepare(request, { hosts }, options) {
    const fragmentation = createFragmentation(options)
    const ask = gpuKind.ask(request) ?? { count: 0, shareMilli: WHOLE_GPU, models: [], amounts: demandOf(request).amounts }
    return (host) => fragmentation.choose(hosts, host, ask)?.points ?? 0
  },
  cacheKey: (request) => `${dimensionKey(request)}${request.gpus?.models.join('\u0000') ?? ''}`,
}
