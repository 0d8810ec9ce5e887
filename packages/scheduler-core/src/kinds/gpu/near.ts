import { type GpuWish, gpuFits, isIn } from '../../hosts/gpu-device.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import type { GpuRequest, RequestSpec } from '../../request/request-spec.ts'
import type { Reason } from '../../text/reason.ts'
import { canMeet } from '../../values/demand.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { OWN_UNITS } from '../../values/levels.ts'
import { elsewhereOn } from '../elsewhere.ts'
import { heldByMover } from '../mover.ts'
import type { NearCell, Nearness } from '../near-cell.ts'
import { keepGpus } from './keep.ts'

/**
 * The requirement that enough GPUs are near the guest's NUMA cells. Undefined if the request has no NUMA cells, or no GPUs with this NUMA
 * policy.
 */
export function gpuNearness({ gpus: ask, numaTopology }: RequestSpec, policy: NonNullable<GpuRequest['numaPolicy']>): Nearness | undefined {
  if (ask === null || numaTopology === null || ask.numaPolicy !== policy) return undefined
  return {
    on(hosts, host, cells) {
      const { gpus } = hosts.get(host)
      const gains = cells.map(({ id }) => gpus.filter((gpu) => gpu.numaNode === id && gpuFits(gpu, ask)).length)
      const best = [...gains.keys()].sort((a, b) => (gains[b] as number) - (gains[a] as number))
      const held = hosts.featureLevel < OWN_UNITS ? undefined : heldByMover(hosts, host)?.gpu
      const wish = { ...ask, numaPolicy: 'required' as const, amounts: {} }
      const keepsOwn = (near: readonly number[]) => held !== undefined && keepGpus(hosts, host, wish, held, near) !== undefined
      const demands = [{ need: ask.count, gains, best }]
      const shortOf = (chosen: readonly number[]): Reason | undefined => {
        const near = chosen.map((cell) => (cells[cell] as NearCell).id)
        if (keepsOwn(near)) return undefined
        const have = chosen.reduce((sum, cell) => sum + (gains[cell] as number), 0)
        if (have >= ask.count) return undefined
        return { code: 'gpu.numa', subject: 'GPU', need: ask.count, have, unit: 'GPUs', ...gpusElsewhere(hosts, host, ask, near) }
      }
      return {
        shortOf,
        allShortOf(chosen) {
          const short = shortOf(chosen)
          return short === undefined ? [] : [short]
        },
        canComplete: (chosen, used, more) => canMeet(demands, chosen, used, more),
        traitOf: (cell) => `${gains[cell]}`,
        key: `${ask.count}:${gains.join()}:${held === undefined ? '' : JSON.stringify([held, cells.map(({ id }) => id)])}`,
      }
    },
  }
}

/** Text for a reason: where the host has suitable free GPUs that are not near these NUMA cells. */
export const gpusElsewhere = (hosts: HostTable, host: HostIndex, ask: GpuWish, near: readonly number[]) =>
  elsewhereOn(
    hosts,
    hosts
      .get(host)
      .gpus.filter((gpu) => gpuFits(gpu, ask) && !isIn(gpu, near))
      .map(({ numaNode }) => ({ numaNode, count: 1 })),
  )
