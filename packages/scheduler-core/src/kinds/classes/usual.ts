import type { Code } from '../../text/codes.ts'

/** The words for a class that every host has. */
export interface ClassWords {
  readonly unit: string
  /** The code where the host has the amount, but others use it. */
  readonly short: Code
  /** The code where even the empty host has less than the amount. */
  readonly tooLittle: Code
}

const usual: Readonly<Record<string, ClassWords>> = {
  VCPU: { unit: 'vCPUs', short: 'cpu.short', tooLittle: 'cpu.too_few' },
  MEMORY_MB: { unit: 'MiB', short: 'memory.short', tooLittle: 'memory.too_little' },
  DISK_GB: { unit: 'GiB', short: 'disk.short', tooLittle: 'disk.too_little' },
}

/** Undefined for a class that a host may lack. */
export const usualWords = (resourceClass: string): ClassWords | undefined =>
  Object.hasOwn(usual, resourceClass) ? usual[resourceClass] : undefined

export const isUsual = (resourceClass: string): boolean => usualWords(resourceClass) !== undefined

export const wordsOf = (resourceClass: string): ClassWords =>
  usualWords(resourceClass) ?? { unit: resourceClass, short: 'class.short', tooLittle: 'class.too_little' }
