import type { GpuRequest } from '../../request/request-spec.ts'

/** Thousandths of a GPU that nobody uses. */
export const WHOLE_GPU = 1_000

/** A GPU of a host. Thousandths free: 1000 = idle; negative only after a report that says more is used. */
export interface GpuState {
  readonly index: number
  readonly model: string | null
  readonly countsUse: boolean
  freeMilli: number
}

/** What a claim takes from one GPU. */
export interface GpuGrant {
  readonly index: number
  readonly milli: number
}

/** The GPUs asked for, and the amounts that the same instance takes beside them: some rules look at both. */
export interface GpuAsk extends GpuRequest {
  readonly amounts: Readonly<Record<string, number>>
}

/** Whether a GPU has the share free and is of a model asked for. */
export const gpuFits = (gpu: GpuState, ask: GpuRequest): boolean => gpu.freeMilli >= ask.shareMilli && modelFits(gpu, ask)

export const modelFits = (gpu: GpuState, ask: GpuRequest): boolean =>
  ask.models.length === 0 || (gpu.model !== null && ask.models.includes(gpu.model))
