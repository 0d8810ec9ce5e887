import type { Code } from '../../text/codes.ts'

/** The unit and the reason codes of a resource class. */
export interface ClassWords {
  readonly unit: string
  /** The code if the free amount of the host is too small, but its total is enough. */
  readonly short: Code
  /** The code if the total of the host is too small. Even an empty host with this total would be refused. */
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
