import type { Cpu } from './cpu.ts'
import { type Pages, readHugePages, readPageKib } from './hugepages.ts'
import { kibOf } from './memory.ts'
import { parseList, reading, type Source, valueIn } from './source.ts'

/** One NUMA cell of the machine. The kernel calls it a node. */
export interface Cell {
  readonly id: number
  /** The online CPUs of the cell, in ascending order. */
  readonly cpus: readonly number[]
  readonly memoryKib: number
  /** For each core with several threads, the CPUs that are its threads. */
  readonly siblings: readonly (readonly number[])[]
  /** The socket of the cell's CPUs. Undefined if the socket is unknown, or if the cell has no CPUs. */
  readonly socket: number | undefined
  readonly pages: readonly Pages[]
}

const NODES = 'sys/devices/system/node'

/** Reads the online NUMA cells. Throws Unreadable if they cannot be read, if the kernel has no cells, or if a container hides them. */
export function readCells(source: Source, cpus: readonly Cpu[]): readonly Cell[] {
  const online = parseList(`${NODES}/online`, source.text(`${NODES}/online`))
  const byId = new Map(cpus.map((cpu) => [cpu.id, cpu]))
  const pageKib = valueIn(reading(() => readPageKib(source)))
  return online.map((id) => {
    const folder = `${NODES}/node${id}`
    const members = parseList(`${folder}/cpulist`, source.text(`${folder}/cpulist`)).flatMap((cpu) => byId.get(cpu) ?? [])
    const memoryKib = kibOf(`${folder}/meminfo`, source.text(`${folder}/meminfo`), 'MemTotal')
    const huge = readHugePages(source, folder)
    const hugeKib = huge.reduce((sum, { sizeKib, total }) => sum + sizeKib * total, 0)
    const small = pageKib === undefined ? [] : [{ sizeKib: pageKib, total: Math.max(0, Math.floor((memoryKib - hugeKib) / pageKib)) }]
    return {
      id,
      cpus: members.map((cpu) => cpu.id),
      memoryKib,
      siblings: coresOf(members),
      socket: members[0]?.socket,
      pages: [...small, ...huge],
    }
  })
}

function coresOf(cpus: readonly Cpu[]): readonly (readonly number[])[] {
  const cores = new Map(cpus.filter(({ core }) => core.length > 1).map(({ core }) => [core.join(), core]))
  return [...cores.values()]
}
