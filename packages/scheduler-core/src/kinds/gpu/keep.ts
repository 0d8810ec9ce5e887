import { type GpuAsk, type GpuState, isIn, modelFits } from '../../hosts/gpu-device.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import type { GpuGrant } from '../../records/grants.ts'
import type { HostIndex } from '../../values/host-index.ts'

/** For each GPU index, the share of the GPU that the grant contains, in thousandths. */
export function sumByGpu(grant: readonly GpuGrant[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { index, milli } of grant) sums.set(index, (sums.get(index) ?? 0) + milli)
  return sums
}

/**
 * Chooses GPUs that meet an ask from the GPUs that an instance holds. GPUs that the host reports are chosen first. If the host does not
 * report a held GPU, its model and NUMA cell are unknown. The unreported GPU is accepted if all held GPUs that are reported meet the ask.
 */
export function keepGpus(
  hosts: HostTable,
  host: HostIndex,
  ask: GpuAsk,
  held: readonly GpuGrant[],
  cells: readonly number[] | undefined,
): readonly GpuGrant[] | undefined {
  const { gpus } = hosts.get(host)
  const own = [...sumByGpu(held)].filter(([, milli]) => milli >= ask.shareMilli).map(([index]) => index)
  const isNear = (gpu: GpuState) => cells === undefined || isIn(gpu, cells)
  const serves = (gpu: GpuState) => modelFits(gpu, ask) && (ask.numaPolicy !== 'required' || isNear(gpu))
  const reported = own.flatMap((index) => gpus.find((gpu) => gpu.index === index) ?? [])
  const serving = reported.filter(serves)
  const wished = ask.numaPolicy === 'preferred' ? [...serving.filter(isNear), ...serving.filter((gpu) => !isNear(gpu))] : serving
  const gone = serving.length < reported.length ? [] : own.filter((index) => !gpus.some((gpu) => gpu.index === index))
  const chosen = [...wished.map(({ index }) => index), ...gone].slice(0, ask.count)
  return chosen.length < ask.count ? undefined : chosen.map((index) => ({ index, milli: ask.shareMilli }))
}
