import { z } from 'zod'
import type { Weigher, WeigherOptions } from '../contracts/weigher.ts'
import { at } from '../hosts/columns.ts'
import { WHOLE_GPU } from '../hosts/gpu-device.ts'
import { checkOptions } from '../request/parse.ts'
import type { GpuRequest, RequestSpec } from '../request/request-spec.ts'
import { memoByObject } from '../values/memo.ts'

const clusteringOptions = z.strictObject({
  /** The thousandths of GPUs that count as full, for all hosts. Absent: the host's own total. */
  scale: z.number().positive().optional(),
})

const optionsOf = memoByObject((options: WeigherOptions) => checkOptions(clusteringOptions, options))

/**
 * Prefers hosts with requests of the same kind (a share, one GPU, two GPUs, ...). The order is: hosts with only this kind, hosts with
 * several kinds, idle hosts, hosts with other kinds. Within each of these groups, fuller hosts come first (GpuClustering as the FGD paper
 * describes it, after Gandiva, OSDI 2018). Scores are integers, with 25 points for each group. If the request has no GPUs, all hosts get
 * the same score. The kinds on a host are those of its claims. An earlier instance of the same request fills the host, but does not add a
 * kind.
 */
export const gpuClusteringWeigher: Weigher = {
  name: 'GpuClusteringWeigher',
  description: 'Hosts that hold requests of the same kind come first.',
  reads: ['gpus'],
  unit: 'points',
  checkOptions: (options) => void checkOptions(clusteringOptions, options),
  prepare({ gpus: asked }, { hosts }, options) {
    const { scale } = optionsOf(options)
    if (asked === null) return () => 0
    const kind = kindOf(asked)
    return (host) => {
      const { claims, gpus } = hosts.get(host)
      const held = new Set<string>()
      for (const { grants } of claims) {
        const [first] = grants.gpu ?? []
        if (first !== undefined) held.add(kindOf({ count: grants.gpu?.length ?? 0, shareMilli: first.milli }))
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
