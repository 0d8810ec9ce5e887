import type { Weigher } from '../contracts/weigher.ts'
import { gpuFits, WHOLE_GPU } from '../hosts/gpu-device.ts'
import { gpuKind } from '../kinds/gpu/gpu.ts'

/**
 * Prefers GPUs in use, then idle GPUs of a host in use, then idle hosts (GpuPacking as the FGD paper describes it, after MLaaS, NSDI 2022).
 * Scores are integers. If GPUs in use suffice, 50 to 100, minus one for each free tenth of the chosen GPUs. If idle GPUs of a used host are
 * needed, 33 to 50, minus one for each such GPU. For an idle host, up to 33, minus one for each of its GPUs. If the request has no GPUs,
 * all hosts get the same score.
 */
export const gpuPackingWeigher: Weigher = {
  name: 'GpuPackingWeigher',
  description: 'GPUs in use before idle GPUs of a used host before idle hosts.',
  reads: ['gpus'],
  unit: 'points',
  prepare(request, { hosts }) {
    const ask = gpuKind.ask(request)
    if (ask === undefined) return () => 0
    return (host) => {
      const { gpus } = hosts.get(host)
      const idle = gpus.filter(({ freeMilli }) => freeMilli === WHOLE_GPU).length
      if (idle === gpus.length) return Math.max(33 - idle, idle)
      const fullestFirst = gpus.filter((gpu) => gpuFits(gpu, ask)).map(({ freeMilli }) => freeMilli)
      const taken = fullestFirst.sort((a, b) => a - b).slice(0, ask.count)
      const idleTaken = taken.filter((freeMilli) => freeMilli === WHOLE_GPU).length
      if (idleTaken > 0) return Math.max(50 - idleTaken, 33)
      const freePercent = taken.reduce((sum, freeMilli) => sum + Math.trunc((100 * freeMilli) / WHOLE_GPU), 0)
      return Math.max(100 - Math.trunc(freePercent / 10), 50)
    }
  },
  cacheKey: ({ gpus }) => JSON.stringify(gpus === null ? [] : [gpus.count, gpus.shareMilli, ...gpus.models]),
}
