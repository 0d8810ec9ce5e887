import { quote } from '../../text/problem.ts'
import { cpuListParser } from '../text/cpu-list.ts'
import { NovaError } from '../text/nova-error.ts'
import { fieldsOf, integerOf, isEnvelope, listOf, numberSet, textOf, type WireFields, wordOf } from './envelope.ts'
import type { GuestCell, GuestTopology, HostCell, HostTopology, MemoryPages, NetworkMetadata } from './topology.ts'

/**
 * Reads the topology of a host: a versioned object, its JSON text as hosts report it, or null for no topology. Also reads the older plain
 * dictionaries (`cpus`, `mem`). Fields that older versions lack stay unset.
 */
export function readHostTopology(value: unknown): HostTopology | null {
  const parsed = typeof value === 'string' && value !== '' ? parseJson(value) : value
  if (parsed === null || parsed === undefined || parsed === '') return null
  const parseCpus = cpuListParser()
  const read = isEnvelope(parsed) ? readHostCell : (cell: unknown, what: string) => readLegacyCell(cell, what, parseCpus)
  return { cells: listOf(fieldsOf(parsed, 'numa_topology').cells, 'numa_topology.cells', read) }
}

/** Reads the guest topology of a request: a versioned object, or null for no topology. Fields that older versions lack stay unset. */
export function readGuestTopology(value: unknown): GuestTopology | null {
  if (value === null || value === undefined) return null
  const fields = fieldsOf(value, 'numa_topology')
  return {
    cells: listOf(fields.cells, 'numa_topology.cells', readGuestCell),
    emulatorThreadsPolicy: wordOf(fields.emulator_threads_policy, 'numa_topology.emulator_threads_policy', ['share', 'isolate']),
  }
}

/** Reads network metadata: a versioned object, or null for no networks. */
export function readNetworkMetadata(value: unknown, what = 'network_metadata'): NetworkMetadata | undefined {
  if (value === null || value === undefined) return undefined
  const fields = fieldsOf(value, what)
  return {
    physnets: fields.physnets === undefined ? [] : listOf(fields.physnets, `${what}.physnets`, textOf),
    tunneled: fields.tunneled === true,
  }
}

/** Converts a guest topology whose cells have version 1.4 or older, without `pcpuset`. All CPUs of a dedicated cell become pinned CPUs. */
export function migrateGuestTopology(guest: GuestTopology): GuestTopology {
  const migrate = (cell: GuestCell): GuestCell => {
    if (cell.cpuPolicy === 'dedicated' && cell.cpuset.length > 0) return { ...cell, pcpuset: cell.cpuset, cpuset: [] }
    return cell.pcpuset === undefined ? { ...cell, pcpuset: [] } : cell
  }
  return { ...guest, cells: guest.cells.map(migrate) }
}

function readHostCell(value: unknown, what: string): HostCell {
  const fields = fieldsOf(value, what)
  return {
    id: integerOf(fields.id, `${what}.id`),
    cpuset: numberSet(fields.cpuset, `${what}.cpuset`),
    pcpuset: fields.pcpuset === undefined ? undefined : numberSet(fields.pcpuset, `${what}.pcpuset`),
    memory: integerOf(fields.memory, `${what}.memory`),
    cpuUsage: integerOf(fields.cpu_usage ?? 0, `${what}.cpu_usage`),
    memoryUsage: integerOf(fields.memory_usage ?? 0, `${what}.memory_usage`),
    pinnedCpus: numberSet(fields.pinned_cpus ?? [], `${what}.pinned_cpus`),
    siblings: listOf(fields.siblings ?? [], `${what}.siblings`, numberSet),
    mempages: listOf(fields.mempages ?? [], `${what}.mempages`, readPages),
    socket: fields.socket === undefined || fields.socket === null ? fields.socket : integerOf(fields.socket, `${what}.socket`),
    networkMetadata: readNetworkMetadata(fields.network_metadata, `${what}.network_metadata`),
  }
}

function readPages(value: unknown, what: string): MemoryPages {
  const fields = fieldsOf(value, what)
  return {
    sizeKib: integerOf(fields.size_kb, `${what}.size_kb`),
    total: integerOf(fields.total, `${what}.total`),
    used: integerOf(fields.used ?? 0, `${what}.used`),
    reserved: integerOf(fields.reserved ?? 0, `${what}.reserved`),
  }
}

function readLegacyCell(value: unknown, what: string, parseCpus: (text: string) => readonly number[]): HostCell {
  const fields = fieldsOf(value, what)
  const memory = fieldsOf(fields.mem ?? {}, `${what}.mem`)
  return {
    id: integerOf(fields.id, `${what}.id`),
    cpuset: parseCpus(textOf(fields.cpus ?? '', `${what}.cpus`)),
    pcpuset: undefined,
    memory: integerOf(memory.total ?? 0, `${what}.mem.total`),
    cpuUsage: integerOf(fields.cpu_usage ?? 0, `${what}.cpu_usage`),
    memoryUsage: integerOf(memory.used ?? 0, `${what}.mem.used`),
    pinnedCpus: [],
    siblings: [],
    mempages: [],
    socket: undefined,
    networkMetadata: undefined,
  }
}

function readGuestCell(value: unknown, what: string): GuestCell {
  const fields = fieldsOf(value, what)
  return {
    id: integerOf(fields.id, `${what}.id`),
    cpuset: numberSet(fields.cpuset, `${what}.cpuset`),
    pcpuset: fields.pcpuset === undefined ? undefined : numberSet(fields.pcpuset, `${what}.pcpuset`),
    memory: integerOf(fields.memory, `${what}.memory`),
    pagesize: fields.pagesize == null ? null : integerOf(fields.pagesize, `${what}.pagesize`),
    cpuPolicy: wordOf(fields.cpu_policy, `${what}.cpu_policy`, ['dedicated', 'shared', 'mixed']),
    cpuThreadPolicy: wordOf(fields.cpu_thread_policy, `${what}.cpu_thread_policy`, ['prefer', 'isolate', 'require']),
    cpuPinning: readPinning(fields, what),
    cpusetReserved: fields.cpuset_reserved == null ? null : numberSet(fields.cpuset_reserved, `${what}.cpuset_reserved`),
  }
}

function readPinning(fields: WireFields, what: string): GuestCell['cpuPinning'] {
  const raw = fields.cpu_pinning_raw
  if (raw === null || raw === undefined) return null
  const pairs = Object.entries(fieldsOf(raw, `${what}.cpu_pinning_raw`))
  return Object.fromEntries(pairs.map(([vcpu, cpu]) => [vcpu, integerOf(cpu, `${what}.cpu_pinning_raw.${vcpu}`)]))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new NovaError('JSONDecodeError', `numa_topology is ${quote(text)}; it must be JSON`, 'numa_topology')
    throw error
  }
}
