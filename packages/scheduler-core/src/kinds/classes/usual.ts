import type { Code } from '../../text/codes.ts'

/** The unit and the reason codes of a resource class. */
export interface ClassWords {
  readonly unit: string
  /** The reason code if the host's total of the class would be enough, but the free amount is not. */
  readonly short: Code
  /** The reason code if the host's total of the class is less than requested, so that even an empty host would refuse. */
  readonly tooLittle: Code
}

const usual: Readonly<Record<string, ClassWords>> = {
  VCPU: { unit: 'vCPUs', short: 'cpu.short', tooLittle: 'cpu.too_few' },
  MEMORY_MB: { unit: 'MiB', short: 'memory.short', tooLittle: 'memory.too_little' },
  DISK_GB: { unit: 'GiB', short: 'disk.short', tooLittle: 'disk.too_little' },
}

/** The unit and the reason codes of a class that every host has: VCPU, MEMORY_MB or DISK_GB. Undefined for all other classes. */
export const usualWords = (resourceClass: string): ClassWords | undefined =>
  Object.hasOwn(usual, resourceClass) ? usual[resourceClass] : undefined

export const isUsual = (resourceClass: string): boolean => usualWords(resourceClass) !== undefined

export const wordsOf = (resourceClass: string): ClassWords =>
  usualWords(resourceClass) ?? { unit: resourceClass, short: 'class.short', tooLittle: 'class.too_little' }
