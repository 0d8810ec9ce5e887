import type { GpuRequest } from '../request/request-spec.ts'
import { SHARES_IN_PERCENT } from '../values/levels.ts'

/** Shares of a GPU are counted in thousandths. A whole GPU has this many. */
export const WHOLE_GPU = 1_000

/**
 * A GPU of a host. An idle GPU has 1000 free thousandths. The free amount is negative if the reported usage and the claims together exceed
 * the GPU.
 */
export interface GpuState {
  readonly index: number
  readonly model: string | null
  /** The id of the NUMA cell near the GPU. Null if unknown. */
  readonly numaNode: number | null
  readonly countsUse: boolean
  freeMilli: number
}

/** The GPUs that a request needs, without a requirement for their NUMA cells. */
export type GpuWish = Pick<GpuRequest, 'count' | 'shareMilli' | 'models'>

/** The GPUs that an instance needs, and its amounts of other resources, because some assignment rules read both. */
export interface GpuAsk extends GpuWish {
  readonly amounts: Readonly<Record<string, number>>
  /** How near the GPUs must be to the guest's NUMA cells. Absent if the GPUs need not be near. */
  readonly numaPolicy?: NonNullable<GpuRequest['numaPolicy']>
}

/** True if the free share of the GPU is large enough, and its model is one of the requested models. */
export const gpuFits = (gpu: GpuState, ask: GpuWish): boolean => gpu.freeMilli >= ask.shareMilli && modelFits(gpu, ask)

export const modelFits = (gpu: GpuState, ask: GpuWish): boolean =>
  ask.models.length === 0 || (gpu.model !== null && ask.models.includes(gpu.model))

/** The share that a request needs of each of its GPUs, as text. */
export const gpuShareText = ({ shareMilli }: GpuWish, featureLevel: number): string =>
  shareMilli === WHOLE_GPU
    ? 'whole GPU'
    : `GPU with ${featureLevel < SHARES_IN_PERCENT ? `${shareMilli}/${WHOLE_GPU}` : percentText(shareMilli)} free`

/** A share of a GPU in thousandths, as a percentage. */
export const percentText = (milli: number): string => `${milli / 10}%`

/** True if the GPU is near one of the NUMA cells with these ids. */
export const isIn = ({ numaNode }: GpuState, cells: readonly number[]): boolean => numaNode !== null && cells.includes(numaNode)
