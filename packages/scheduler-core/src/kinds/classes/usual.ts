import type { Code } from '../../text/codes.ts'

/** The unit and reason codes of a class that every host has. */
export interface ClassWords {
  readonly unit: string
  /** The code for a host whose total is enough, but whose free amount is too small. */
  readonly short: Code
  /** The code for a host whose total is too small, so that it would refuse even if it were empty. */
  readonly tooLittle: Code
}

const usual: Readonly<Record<string, ClassWords>> = {
  VCPU: { unit: 'vCPUs', short: 'cpu.short', tooLittle: 'cpu.too_few' },
  MEMORY_MB: { unit: 'MiB', short: 'memory.short', tooLittle: 'memory.too_little' },
  DISK_GB: { unit: 'GiB', short: 'disk.short', tooLittle: 'disk.too_little' },
}

/** The unit and reason codes of a class, or undefined for a class that some hosts do not have. */
export const usualWords = (resourceClass: string): ClassWords | undefined =>
  Object.hasOwn(usual, resourceClass) ? usual[resourceClass] : undefined

export const isUsual = (resourceClass: string): boolean => usualWords(resourceClass) !== undefined

export const wordsOf = (resourceClass: string): ClassWords =>
  usualWords(resourceClass) ?? { unit: resourceClass, short: 'class.short', tooLittle: 'class.too_little' }
