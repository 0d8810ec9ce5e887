import { basename } from 'node:path'
import { readCsv, TraceError, wholeNumber, word, words } from '../trace-file.ts'

/** The demands of one pod of the OpenB trace. */
export interface OpenbPod {
  readonly name: string
  readonly cpuMilli: number
  readonly memoryMib: number
  /** The number of GPUs. It can be 0. */
  readonly gpus: number
  /** Thousandths of each GPU: 1000 for whole GPUs, 0 without GPUs. */
  readonly gpuMilliEach: number
  /** The accepted GPU models. Empty if any model is accepted. */
  readonly gpuModels: readonly string[]
}

const columns = {
  pod: word,
  cpu_milli: wholeNumber(0, 65_536_000),
  memory_mib: wholeNumber(0, 67_108_864),
  gpus: wholeNumber(0, 64),
  gpu_milli_each: wholeNumber(0, 1_000),
  gpu_models: words,
}

/** The pods in the file's order. Throws TraceError for a file that is not such a trace. */
export function readOpenbPods(file: string): readonly OpenbPod[] {
  const rows = readCsv(file, columns)
  return rows.map((row, i) => {
    if (row.gpus > 0 && row.gpu_milli_each === 0)
      throw new TraceError(`${basename(file)}, line ${i + 2}: gpu_milli_each is 0 with ${row.gpus} GPUs; it must be 1 to 1000`)
    return {
      name: row.pod,
      cpuMilli: row.cpu_milli,
      memoryMib: row.memory_mib,
      gpus: row.gpus,
      gpuMilliEach: row.gpus === 0 ? 0 : row.gpu_milli_each,
      gpuModels: row.gpu_models,
    }
  })
}
