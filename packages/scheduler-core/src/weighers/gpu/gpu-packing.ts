import { noPreference, type Weigher } from '../../contracts/weigher.ts'
import { gpuFits, WHOLE_GPU } from '../../hosts/gpu-device.ts'
import { gpuKind } from '../../kinds/gpu/gpu.ts'
import { PACKED_IDLE_GPUS } from '../../values/levels.ts'

/**
 * Prefers GPUs in use, then idle GPUs of a host with other GPUs in use, then hosts with only idle GPUs (GpuPacking as the FGD paper
 * describes it, after MLaaS, NSDI 2022). Scores are integers. If GPUs in use suffice, the score is 100 minus one for each free tenth of the
 * chosen GPUs, but at least 50. If idle GPUs are needed too, the score is 50 minus one for each needed idle GPU, but at least 33. If all
 * GPUs of the host are idle, the score is 33 minus one for each GPU of the host, but at least 0 (below feature level PACKED_IDLE_GPUS, at
 * least the number of GPUs of the host). So more idle GPUs never give a host a higher score. If the request has no GPUs, all hosts get the
 * same score.
 */
export const gpuPackingWeigher: Weigher = {
  name: 'GpuPackingWeigher',
  description: 'Prefers GPUs in use, then idle GPUs of hosts with other GPUs in use, then hosts with only idle GPUs.',
  reads: ['gpus'],
  unit: 'points',
  prepare(request, { hosts, featureLevel }) {
    const ask = gpuKind.ask(request)
    if (ask === undefined) return noPreference
    return (host) => {
      const { gpus } = hosts.get(host)
      const idle = gpus.filter(({ freeMilli }) => freeMilli === WHOLE_GPU).length
      if (idle === gpus.length) return Math.max(33 - idle, featureLevel >= PACKED_IDLE_GPUS ? 0 : idle)
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
