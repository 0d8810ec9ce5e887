import { numbered, parseList, type Source, Unreadable } from './source.ts'

/** One logical CPU. */
export interface Cpu {
  readonly id: number
  /** The physical package that it is in. */
  readonly socket: number
  /** All CPUs that are threads of the same core, including this one. */
  readonly core: readonly number[]
}

/** The CPU model of the machine. */
export interface CpuModel {
  readonly vendor: string | undefined
  readonly model: string | undefined
  readonly flags: readonly string[]
}

const CPUS = 'sys/devices/system/cpu'

/** The ids of the online CPUs, from sysfs or, if sysfs cannot be read, from /proc/cpuinfo. Throws Unreadable. */
export function readOnlineCpus(source: Source): readonly number[] {
  const online = `${CPUS}/online`
  if (source.has(online)) return parseList(online, source.text(online))
  const listed = [...source.text('proc/cpuinfo').matchAll(/^processor\s*:\s*(\d+)$/gm)].map(([, id]) => Number(id))
  if (listed.length === 0) throw new Unreadable('/proc/cpuinfo: it lists no processor')
  return listed
}

/** The online CPUs with their sockets and cores. Throws Unreadable. */
export function readCpuTopology(source: Source): readonly Cpu[] {
  const online = new Set(readOnlineCpus(source))
  return numbered(source, CPUS, 'cpu')
    .filter((id) => online.has(id))
    .map((id) => {
      const folder = `${CPUS}/cpu${id}/topology`
      const [threads = ''] = ['core_cpus_list', 'thread_siblings_list'].map((name) => `${folder}/${name}`).filter(source.has)
      const core = threads === '' ? [id] : parseList(threads, source.text(threads)).filter((cpu) => online.has(cpu))
      return { id, socket: source.number(`${folder}/physical_package_id`), core }
    })
}

/** Reads the CPU model. Throws Unreadable. */
export function readCpuModel(source: Source): CpuModel {
  const text = source.text('proc/cpuinfo')
  const first = (name: string): string | undefined => new RegExp(`^${name}\\s*: (.+)$`, 'm').exec(text)?.[1]?.trim()
  // On x86 the line is named flags. On Arm it is named Features, and there are no names of models.
  const flags = first('flags') ?? first('Features') ?? ''
  return { vendor: first('vendor_id'), model: first('model name'), flags: flags.split(/\s+/).filter((flag) => flag !== '') }
}
