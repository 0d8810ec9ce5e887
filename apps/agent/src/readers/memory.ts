import { type Source, Unreadable } from './source.ts'

/** A line of a file like /proc/meminfo in KiB. Throws Unreadable. */
export function kibOf(file: string, text: string, name: string): number {
  const found = new RegExp(`(?:^|\\s)${name}:\\s+(\\d{1,15}) kB$`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Unreadable(`/${file}: it has no ${name}`)
  return Number(found)
}

/** KiB of memory that the kernel has. Throws Unreadable. */
export const readMemoryKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemTotal')

/** KiB that could be given to programs now. Throws Unreadable. */
export const readAvailableKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemAvailable')
