import { numbered, parseList, type Source, Unreadable } from './source.ts'

/** One logical CPU. */
export interface Cpu {
  readonly id: number
  /** The socket (physical package) of the CPU. */
  readonly socket: number
  /** The ids of all CPUs that are threads of the same core, including this CPU. */
  readonly core: readonly number[]
}

export interface CpuModel {
  readonly vendor: string | undefined
  readonly model: string | undefined
  readonly flags: readonly string[]
}

const CPUS = 'sys/devices/system/cpu'

/** Reads the ids of the online CPUs, from sysfs or, if sysfs does not list them, from /proc/cpuinfo. Throws Unreadable. */
export function readOnlineCpus(source: Source): readonly number[] {
  const online = `${CPUS}/online`
  if (source.has(online)) return parseList(online, source.text(online))
  const listed = [...source.text('proc/cpuinfo').matchAll(/^processor\s*:\s*(\d+)$/gm)].map(([, id]) => Number(id))
  if (listed.length === 0) throw new Unreadable('/proc/cpuinfo: it lists no processor')
  return listed
}

/** Reads the online CPUs with their sockets and cores. Throws Unreadable. */
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
  // The line with the flags is named flags on x86 and Features on Arm. On Arm there is no model name.
  const flags = first('flags') ?? first('Features') ?? ''
  return { vendor: first('vendor_id'), model: first('model name'), flags: flags.split(/\s+/).filter((flag) => flag !== '') }
}
