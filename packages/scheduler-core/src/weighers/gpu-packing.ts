import { gpuFits, WHOLE_GPU } from '../kinds/gpu/device.ts'
import { gpuKind } from '../kinds/gpu/gpu.ts'
import { dimensionKey } from './fill.ts'
import type { Weigher } from './weigher.ts'

/**
 * Prefers GPUs in use over idle GPUs of a host in use, and those over idle hosts (GpuPacking as the FGD paper describes
 * it, after MLaaS, NSDI 2022): 50..100 points for GPUs in use, fuller better; 33..50 for idle GPUs of a used host, fewer
 * idle better; up to 33 for an idle host, fewer GPUs better. Whole points.
 */
export const gpuPackingWeigher: Weigher = {
  name: 'GpuPackingWeigher',
  description: 'GPUs in use before idle GPUs of a used host before idle hosts.',
  unit: 'points',
  prepare(request, { hosts }) {
    const ask = gpuKind.ask(request)
    return (host) => {
      const { gpus } = hosts.get(host)
      if (gpus.length === 0) return 0
      const idle = gpus.filter(({ freeMilli }) => freeMilli === WHOLE_GPU).length
      if (idle === gpus.length) return Math.trunc(33 * (1 - idle / 9))
      if (ask === undefined) return 50
      const used = ask.shareMilli < WHOLE_GPU ? gpus.filter((gpu) => gpu.freeMilli < WHOLE_GPU && gpuFits(gpu, ask)) : []
      if (used.length < ask.count) return Math.trunc(33 + 17 * (1 - idle / 9))
      const fullest = Math.min(...used.map(({ freeMilli }) => freeMilli))
      return Math.trunc(50 + 50 * (1 - (fullest - ask.shareMilli) / WHOLE_GPU))
    }
  },
  cacheKey: (request) => `${dimensionKey(request)}${request.gpus?.models.join('\u0000') ?? ''}`,
}
