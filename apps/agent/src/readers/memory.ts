import { type Source, Unreadable } from './source.ts'

/** The value in KiB of a line in a file like /proc/meminfo. Throws Unreadable. */
export function kibOf(file: string, text: string, name: string): number {
  const found = new RegExp(`(?:^|\\s)${name}:\\s+(\\d{1,15}) kB$`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Unreadable(`/${file}: it has no ${name}`)
  return Number(found)
}

/** The total memory of the machine in KiB. Throws Unreadable. */
export const readMemoryKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemTotal')

/** The memory that is available to programs now, in KiB. Throws Unreadable. */
export const readAvailableKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemAvailable')
