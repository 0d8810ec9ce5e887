import type { Weigher } from '../contracts/weigher.ts'
import { gpuFits, WHOLE_GPU } from '../hosts/gpu-device.ts'
import { gpuKind } from '../kinds/gpu/gpu.ts'

/**
 * Prefers GPUs in use, then idle GPUs of a host in use, then idle hosts (GpuPacking as the FGD paper describes it, after MLaaS, NSDI 2022).
 * Whole points: 50..100 if GPUs in use suffice, minus one for each free tenth of the chosen GPUs; 33..50 if idle GPUs of a used host are
 * needed, minus one for each; up to 33 for an idle host, minus one for each of its GPUs. Without GPUs in the request all hosts get the same
 * number.
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
