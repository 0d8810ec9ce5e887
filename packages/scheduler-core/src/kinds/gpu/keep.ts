import type { HostTable } from '../../fleet/hosts.ts'
import type { HostIndex } from '../../host-index.ts'
import type { GpuGrant } from '../grants.ts'
import { type GpuAsk, type GpuState, isIn, modelFits } from './device.ts'

/** Thousandths of each GPU that a grant has, by its index. */
export function sumByGpu(grant: readonly GpuGrant[]): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { index, milli } of grant) sums.set(index, (sums.get(index) ?? 0) + milli)
  return sums
}

/**
 * Of the GPUs that an instance holds, those that answer an ask, which the host still reports before others. Of one that it no longer reports
 * nobody knows the model or the cell: it is as those are that the instance holds beside it.
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
