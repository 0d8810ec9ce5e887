import type { ReasonCode } from '../codes.ts'

/** Refusals that name what the host lacks in all: it would refuse the instance for them if it were empty. */
const forGood: ReadonlySet<string> = new Set([
  'memory.too_little',
  'cpu.too_few',
  'disk.too_little',
  'class.not_reported',
  'class.too_little',
  'class.unit',
  'numa.not_reported',
  'numa.cells',
  'numa.too_little_memory',
  'numa.no_threads',
  'numa.page_size',
  'numa.page_multiple',
  'pci.not_reported',
  'gpu.none',
  'gpu.model',
  'gpu.count',
  'pool.too_little',
] satisfies ReasonCode[])

export const isForGood = (code: string): boolean => forGood.has(code)
