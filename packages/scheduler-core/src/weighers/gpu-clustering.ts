import { WHOLE_GPU } from '../kinds/gpu/device.ts'
import { gpuKind } from '../kinds/gpu/gpu.ts'
import type { Weigher } from './weigher.ts'

/**
 * Keeps requests of one kind (a share, one GPU, two GPUs, ...) together: hosts that hold only that kind, then mixed ones,
 * then idle ones, then hosts of other kinds; fuller first (GpuClustering as the FGD paper describes it, after Gandiva, OSDI 2018).
 */
export const gpuClusteringWeigher: Weigher = {
  name: 'GpuClusteringWeigher',
  description: 'Hosts that hold requests of the same kind come first.',
  unit: 'points',
  prepare(request, { hosts }) {
    const ask = gpuKind.ask(request)
    const kind = ask === undefined ? 'none' : kindOf(ask.count, ask.shareMilli)
    return (host) => {
      const { claims, gpus } = hosts.get(host)
      const held = new Set<string>()
      for (const { gpu: grant } of [...claims].map(({ grants }) => grants)) {
        if (grant !== undefined && grant.length > 0) held.add(kindOf(grant.length, grant[0]?.milli ?? WHOLE_GPU))
      }
      const tier = held.size === 0 ? 1 : !held.has(kind) ? 0 : held.size === 1 ? 3 : 2
      const free = gpus.reduce((sum, gpu) => sum + gpu.freeMilli, 0) / (Math.max(1, gpus.length) * WHOLE_GPU)
      return Math.trunc(25 * tier + 24 * (1 - free))
    }
  },
}

const kindOf = (count: number, shareMilli: number): string => (shareMilli < WHOLE_GPU ? 'share' : `${count} GPUs`)
