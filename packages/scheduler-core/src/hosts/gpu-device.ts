import type { GpuRequest } from '../request/request-spec.ts'
import { SHARES_IN_PERCENT } from '../values/levels.ts'

/** The free thousandths of a GPU. */
export const WHOLE_GPU = 1_000

/** A GPU of a host. Free thousandths: 1000 = idle; negative only after a report with more use. */
export interface GpuState {
  readonly index: number
  readonly model: string | null
  /** The cell that it is near to; null: not known. */
  readonly numaNode: number | null
  readonly countsUse: boolean
  freeMilli: number
}

/** Which GPUs will do, wherever they are. */
export type GpuWish = Pick<GpuRequest, 'count' | 'shareMilli' | 'models'>

/** The GPUs asked for, and the amounts that the same instance takes in addition: some rules look at both. */
export interface GpuAsk extends GpuWish {
  readonly amounts: Readonly<Record<string, number>>
  /** How near to the guest's cells they must be; absent: anywhere. */
  readonly numaPolicy?: NonNullable<GpuRequest['numaPolicy']>
}

/** Whether a GPU has the free share and one of the requested models. */
export const gpuFits = (gpu: GpuState, ask: GpuWish): boolean => gpu.freeMilli >= ask.shareMilli && modelFits(gpu, ask)

export const modelFits = (gpu: GpuState, ask: GpuWish): boolean =>
  ask.models.length === 0 || (gpu.model !== null && ask.models.includes(gpu.model))

/** What of each GPU a request needs, in words. */
export const gpuShareText = ({ shareMilli }: GpuWish, featureLevel: number): string =>
  shareMilli === WHOLE_GPU
    ? 'whole GPU'
    : `GPU with ${featureLevel < SHARES_IN_PERCENT ? `${shareMilli}/${WHOLE_GPU}` : percentText(shareMilli)} free`

/** A share of a GPU, in thousandths, for people. */
export const percentText = (milli: number): string => `${milli / 10}%`

/** Whether a GPU is in one of some cells, by their numbers. */
export const isIn = ({ numaNode }: GpuState, cells: readonly number[]): boolean => numaNode !== null && cells.includes(numaNode)
