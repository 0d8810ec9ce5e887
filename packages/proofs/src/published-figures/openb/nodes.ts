import { optionalWord, readCsv, wholeNumber, word } from '../trace-file.ts'

/** One node of the OpenB trace. */
export interface OpenbNode {
  readonly name: string
  readonly cpuMilli: number
  readonly memoryMib: number
  readonly gpus: number
  /** Null if the node has no GPUs. */
  readonly gpuModel: string | null
}

/** The nodes in the file's order. Throws TraceError for a file that is not such a trace. */
export const readOpenbNodes = (file: string): readonly OpenbNode[] =>
  readCsv(file, {
    node: word,
    cpu_milli: wholeNumber(0, 65_536_000),
    memory_mib: wholeNumber(0, 67_108_864),
    gpus: wholeNumber(0, 64),
    gpu_model: optionalWord,
  }).map((row) => ({ name: row.node, cpuMilli: row.cpu_milli, memoryMib: row.memory_mib, gpus: row.gpus, gpuModel: row.gpu_model }))
