import { type Source, Unreadable } from './source.ts'

/** The memory pages of one size. */
export interface Pages {
  readonly sizeKib: number
  readonly total: number
}

/** Reads the huge pages of a cell by size, including sizes without pages. Empty if the kernel has no huge pages. Throws Unreadable. */
export function readHugePages(source: Source, cellFolder: string): readonly Pages[] {
  const folder = `${cellFolder}/hugepages`
  if (!source.has(folder)) return []
  return source
    .names(folder)
    .flatMap((name) => {
      const sizeKib = /^hugepages-(\d+)kB$/.exec(name)?.[1]
      return sizeKib === undefined ? [] : [{ sizeKib: Number(sizeKib), total: source.number(`${folder}/${name}/nr_hugepages`) }]
    })
    .sort((a, b) => a.sizeKib - b.sizeKib)
}

/** Reads the size of a plain memory page in KiB: 4 on most machines, 16 or 64 on some machines with Arm CPUs. Throws Unreadable. */
export function readPageKib(source: Source): number {
  const found = /^KernelPageSize:\s+(\d+) kB$/m.exec(source.text('proc/self/smaps'))?.[1]
  if (found === undefined) throw new Unreadable('/proc/self/smaps: it has no KernelPageSize')
  return Number(found)
}
