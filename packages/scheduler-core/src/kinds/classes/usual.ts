import type { Code } from '../../codes.ts'

/** How a class that every host has is spoken of. */
export interface ClassWords {
  readonly unit: string
  /** The host has it, and it is taken. */
  readonly short: Code
  /** The host does not have so much in all. */
  readonly tooLittle: Code
}

const usual: Readonly<Record<string, ClassWords>> = {
  VCPU: { unit: 'vCPUs', short: 'cpu.short', tooLittle: 'cpu.too_few' },
  MEMORY_MB: { unit: 'MiB', short: 'memory.short', tooLittle: 'memory.too_little' },
  DISK_GB: { unit: 'GiB', short: 'disk.short', tooLittle: 'disk.too_little' },
}

/** Undefined: a class of which hosts may have nothing at all. */
export const usualWords = (resourceClass: string): ClassWords | undefined =>
  Object.hasOwn(usual, resourceClass) ? usual[resourceClass] : undefined

export const isUsual = (resourceClass: string): boolean => usualWords(resourceClass) !== undefined

export const wordsOf = (resourceClass: string): ClassWords =>
  usualWords(resourceClass) ?? { unit: resourceClass, short: 'class.short', tooLittle: 'class.too_little' }
