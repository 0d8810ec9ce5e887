import { type Source, Unreadable } from './source.ts'

/** Reads the value in KiB of the line `name` in the text of a file like /proc/meminfo. Throws Unreadable. */
export function kibOf(file: string, text: string, name: string): number {
  const found = new RegExp(`(?:^|\\s)${name}:\\s+(\\d{1,15}) kB$`, 'm').exec(text)?.[1]
  if (found === undefined) throw new Unreadable(`/${file}: it has no ${name}`)
  return Number(found)
}

/** Reads the total memory of the machine in KiB. Throws Unreadable. */
export const readMemoryKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemTotal')

/** Reads the memory that programs can get now, in KiB. Throws Unreadable. */
export const readAvailableKib = (source: Source): number => kibOf('proc/meminfo', source.text('proc/meminfo'), 'MemAvailable')
