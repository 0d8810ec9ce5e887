import type { Cpu } from './cpu.ts'
import { type Pages, readHugePages, readPageKib } from './hugepages.ts'
import { kibOf } from './memory.ts'
import { parseList, reading, type Source, valueIn } from './source.ts'

/** One NUMA cell (node) of the machine. */
export interface Cell {
  readonly id: number
  /** Its online CPUs, ascending. */
  readonly cpus: readonly number[]
  readonly memoryKib: number
  /** CPUs that are threads of one core, core by core; a core with one thread is not listed. */
  readonly siblings: readonly (readonly number[])[]
  /** Undefined if its CPUs do not report it, or it has none. */
  readonly socket: number | undefined
  readonly pages: readonly Pages[]
}

const NODES = 'sys/devices/system/node'

/** The online cells with their contents. A kernel without cells, or a container that does not see them, has none: throws Unreadable. */
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
