import type { GpuRequest } from '../../request/request-spec.ts'

/** Thousandths of a GPU that nobody uses. */
export const WHOLE_GPU = 1_000

/** A GPU of a host. Thousandths free: 1000 = idle; negative only after a report that says more is used. */
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

/** The GPUs asked for, and the amounts that the same instance takes beside them: some rules look at both. */
export interface GpuAsk extends GpuWish {
  readonly amounts: Readonly<Record<string, number>>
  /** How near to the guest's cells they must be; absent: anywhere. */
  readonly numaPolicy?: NonNullable<GpuRequest['numaPolicy']>
}

/** Whether a GPU has the share free and is of a model asked for. */
export const gpuFits = (gpu: GpuState, ask: GpuWish): boolean => gpu.freeMilli >= ask.shareMilli && modelFits(gpu, ask)

export const modelFits = (gpu: GpuState, ask: GpuWish): boolean =>
  ask.models.length === 0 || (gpu.model !== null && ask.models.includes(gpu.model))

/** What of each GPU a request needs, in words. */
export const gpuShareText = ({ shareMilli }: GpuWish): string =>
  shareMilli === WHOLE_GPU ? 'whole GPU' : `GPU with ${shareMilli}/1000 free`

/** Whether a GPU is in one of some cells, by their numbers. */
export const isIn = ({ numaNode }: GpuState, cells: readonly number[]): boolean => numaNode !== null && cells.includes(numaNode)
