import { gpuKind } from '../kinds/gpu/gpu.ts'
import { fitFilter } from './fit.ts'

/** Enough GPUs of the models asked for have the share free. */
export const gpuFilter = fitFilter('GpuFilter', 'Enough GPUs of the host, of the models asked for, have the share free.', gpuKind)
