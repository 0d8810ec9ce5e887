import type { GpuRequest } from '../request/request-spec.ts'
import { SHARES_IN_PERCENT } from '../values/levels.ts'

/** The thousandths of a whole GPU. */
export const WHOLE_GPU = 1_000

/** A GPU of a host. An idle GPU has 1000 free thousandths. The value is negative only if a report shows more usage than claims leave. */
export interface GpuState {
  readonly index: number
  readonly model: string | null
  /** The id of the NUMA cell near the GPU. Null if unknown. */
  readonly numaNode: number | null
  readonly countsUse: boolean
  freeMilli: number
}

/** The requirements for the GPU itself, independent of its location in the host. */
export type GpuWish = Pick<GpuRequest, 'count' | 'shareMilli' | 'models'>

/** The requested GPUs, together with the resource amounts of the same instance, because some assignment rules read both. */
export interface GpuAsk extends GpuWish {
  readonly amounts: Readonly<Record<string, number>>
  /** How near the GPUs must be to the guest's cells. Absent if they may be anywhere. */
  readonly numaPolicy?: NonNullable<GpuRequest['numaPolicy']>
}

/** Whether a GPU has the free share and one of the requested models. */
export const gpuFits = (gpu: GpuState, ask: GpuWish): boolean => gpu.freeMilli >= ask.shareMilli && modelFits(gpu, ask)

export const modelFits = (gpu: GpuState, ask: GpuWish): boolean =>
  ask.models.length === 0 || (gpu.model !== null && ask.models.includes(gpu.model))

/** The share of each GPU that a request needs, as text. */
export const gpuShareText = ({ shareMilli }: GpuWish, featureLevel: number): string =>
  shareMilli === WHOLE_GPU
    ? 'whole GPU'
    : `GPU with ${featureLevel < SHARES_IN_PERCENT ? `${shareMilli}/${WHOLE_GPU}` : percentText(shareMilli)} free`

/** A share of a GPU in thousandths, as a percentage. */
export const percentText = (milli: number): string => `${milli / 10}%`

/** Whether a GPU is near one of the cells with these numbers. */
export const isIn = ({ numaNode }: GpuState, cells: readonly number[]): boolean => numaNode !== null && cells.includes(numaNode)
