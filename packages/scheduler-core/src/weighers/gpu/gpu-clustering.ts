import { z } from 'zod'
import { isHeldOnly } from '../../claims/held-until.ts'
import { noPreference, type Weigher, type WeigherOptions } from '../../contracts/weigher.ts'
import { at } from '../../hosts/columns.ts'
import { WHOLE_GPU } from '../../hosts/gpu-device.ts'
import { checkOptions } from '../../request/parse.ts'
import type { GpuRequest, RequestSpec } from '../../request/request-spec.ts'
import { memoByObject } from '../../values/memo.ts'

const clusteringOptions = z.strictObject({
  /**
   * The fill of a host is (scale - free) / scale, where both amounts are in thousandths of a GPU. If absent, the scale is the total of each
   * host.
   */
  scale: z.number().positive().optional(),
})

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(clusteringOptions, options))

/**
 * Prefers hosts whose claims use GPUs as the request does. The kinds of use are a share of a GPU, one GPU, two GPUs, and so on. The order
 * is: hosts with only the request's kind of use, hosts with this kind and other kinds, hosts without claims on GPUs, hosts with only other
 * kinds. Each of these four groups has a range of 25 points. Within a group, fuller hosts have more points (GpuClustering as the FGD paper
 * describes it, after Gandiva, OSDI 2018). Scores are integers. If the request has no GPUs, all hosts get the same score. Earlier instances
 * of the same request use free GPUs, but do not add their kind of use to the host.
 */
export const gpuClusteringWeigher: Weigher = {
  name: 'GpuClusteringWeigher',
  description: 'Prefers hosts whose claims use GPUs as the request does: a share of a GPU, one GPU, two GPUs, and so on.',
  reads: ['gpus'],
  unit: 'points',
  checkOptions: (options) => void checkOptions(clusteringOptions, options),
  prepare({ gpus: asked }, { hosts }, options) {
    const { scale } = optionsOf(options)
    if (asked === null) return noPreference
    const kind = kindOf(asked)
    return (host) => {
      const { claims, gpus } = hosts.get(host)
      const held = new Set<string>()
      for (const claim of claims) {
        const { gpu = [] } = claim.grants
        const [first] = gpu
        // an ended reservation whose amounts stay held has given its GPUs up
        if (first !== undefined && !isHeldOnly(claim)) held.add(kindOf({ count: gpu.length, shareMilli: first.milli }))
      }
      const step = held.size === 0 ? 1 : !held.has(kind) ? 0 : held.size === 1 ? 3 : 2
      const full = scale ?? Math.max(1, gpus.length) * WHOLE_GPU
      return Math.trunc((25 * (full - at(hosts.columns.gpuFreeMilli, host))) / full) + 25 * step
    }
  },
  cacheKey: ({ gpus }: RequestSpec) => (gpus === null ? 'none' : kindOf(gpus)),
}

const kindOf = ({ count, shareMilli }: Pick<GpuRequest, 'count' | 'shareMilli'>): string =>
  shareMilli < WHOLE_GPU ? 'share' : `${count} GPUs`
