import { canMeet } from '../../nova/hardware/demands.ts'
import type { GpuRequest, RequestSpec } from '../../request/request-spec.ts'
import type { Nearness } from '../nearness.ts'
import { gpuFits } from './device.ts'

/** What the GPUs of a request want of the cells that its guest gets; undefined: it asks for none by this policy. */
export function gpuNearness({ gpus: ask, numaTopology }: RequestSpec, policy: NonNullable<GpuRequest['numaPolicy']>): Nearness | undefined {
  if (ask === null || numaTopology === null || ask.numaPolicy !== policy) return undefined
  return {
    on(hosts, host, cells) {
      const { gpus } = hosts.get(host)
      const gains = cells.map(({ id }) => gpus.filter((gpu) => gpu.numaNode === id && gpuFits(gpu, ask)).length)
      const best = [...gains.keys()].sort((a, b) => (gains[b] as number) - (gains[a] as number))
      const demands = [{ need: ask.count, gains, best }]
      return {
        shortOf(chosen) {
          const have = chosen.reduce((sum, cell) => sum + (gains[cell] as number), 0)
          return have >= ask.count ? undefined : { code: 'gpu.numa', subject: 'GPU', need: ask.count, have, unit: 'GPUs' }
        },
        mayStill: (chosen, used, more) => canMeet(demands, chosen, used, more),
        traitOf: (cell) => `${gains[cell]}`,
        key: `${ask.count}:${gains.join()}`,
      }
    },
  }
}
