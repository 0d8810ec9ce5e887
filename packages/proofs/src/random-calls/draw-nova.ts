import { aUuid } from '@gantt/cli/for-proofs'
import type { Random } from '@gantt/scheduler-core'
import { wireOf } from '../nova-conformance/wire-form.ts'
import { anyLength, chance, longText, oneOf } from './choose.ts'
import { isLargerThan } from './size.ts'

const CELL_CPUS = 8
const CELL_MIB = 65_536

/** Nova's report of a host: a ComputeNode, alone or with its service, its instances and possibly its traits. */
export function drawNovaHost(random: Random, host: string): unknown {
  const cells = chance(random, 50) ? 2 : 0
  const vcpus = CELL_CPUS * 2
  const memoryMb = CELL_MIB * 2
  const computeNode = wireOf('ComputeNode', '1.19', {
    host,
    hypervisor_hostname: host,
    vcpus,
    vcpus_used: 0,
    memory_mb: memoryMb,
    memory_mb_used: 512,
    free_ram_mb: memoryMb - 512,
    local_gb: 2_000,
    local_gb_used: 0,
    free_disk_gb: 2_000,
    disk_available_least: null,
    hypervisor_type: 'QEMU',
    hypervisor_version: 8_002_000,
    cpu_info: '{"arch":"x86_64","model":"Skylake","features":["aes"],"topology":{"sockets":1,"cores":8,"threads":2}}',
    stats: { num_instances: '0', io_workload: '0', failed_builds: '0' },
    metrics: '[]',
    supported_hv_specs: [wireOf('HVSpec', '1.2', { arch: 'x86_64', hv_type: 'kvm', vm_mode: 'hvm' })],
    numa_topology: cells === 0 ? null : JSON.stringify(topology(cells)),
    pci_device_pools: chance(random, 70) ? null : pciPools(),
    cpu_allocation_ratio: 4,
    ram_allocation_ratio: 1,
    disk_allocation_ratio: 1,
  })
  if (chance(random, 40)) return computeNode
  return {
    compute_node: computeNode,
    service: { disabled: chance(random, 10), disabled_reason: null },
    instances: Array.from({ length: random.below(4) }, () => ({ uuid: aUuid(random), flavorid: '1', image_properties: {} })),
    ...(chance(random, 50) && { traits: ['HW_CPU_X86_AVX2', 'CUSTOM_FAST'] }),
  }
}

const topology = (cells: number) =>
  wireOf('NUMATopology', '1.2', {
    cells: Array.from({ length: cells }, (_, id) => {
      const cpuset = Array.from({ length: CELL_CPUS }, (_cpu, i) => id * CELL_CPUS + i)
      return wireOf('NUMACell', '1.5', {
        ...{ id, cpuset, pcpuset: cpuset, memory: CELL_MIB, cpu_usage: 0, memory_usage: 0, pinned_cpus: [], siblings: [], socket: id },
        mempages: [wireOf('NUMAPagesTopology', '1.1', { size_kb: 4, total: CELL_MIB * 256, used: 0, reserved: 0 })],
      })
    }),
  })

const pciPools = () =>
  wireOf('PciDevicePoolList', '1.1', {
    objects: [
      wireOf('PciDevicePool', '1.1', { vendor_id: '8086', product_id: '154c', numa_node: 0, count: 4, tags: { dev_type: 'type-VF' } }),
    ],
  })

const EXTRA_SPECS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'hw:cpu_policy': 'dedicated' },
  { 'hw:numa_nodes': '2' },
  { 'hw:numa_nodes': '2', 'hw:numa_cpus.0': '0-1', 'hw:numa_cpus.1': '2-3', 'hw:numa_mem.0': '1024', 'hw:numa_mem.1': '1024' },
  { 'hw:mem_page_size': 'large' },
  { 'trait:CUSTOM_FAST': 'required' },
]

/** Nova's request of an instance: a RequestSpec. */
export function drawNovaSpec(random: Random, hosts: readonly string[]): unknown {
  const flavor = wireOf('Flavor', '1.2', {
    ...{ name: 'm1', flavorid: '1', vcpus: 4, memory_mb: 2_048, root_gb: 10, ephemeral_gb: 0, swap: 0 },
    extra_specs: oneOf(random, EXTRA_SPECS),
  })
  const properties = wireOf('ImageMetaProps', '1.31', { hw_cpu_cores: 2, hw_architecture: 'x86_64' })
  return wireOf('RequestSpec', '1.14', {
    flavor,
    image: chance(random, 70)
      ? null
      : wireOf('ImageMeta', '1.8', { id: aUuid(random), name: 'debian', min_ram: 0, min_disk: 0, properties }),
    num_instances: 1,
    instance_uuid: aUuid(random),
    project_id: 'p1',
    user_id: 'u1',
    availability_zone: chance(random, 80) ? null : 'z1',
    ignore_hosts: chance(random, 80) ? null : [oneOf(random, hosts)],
    force_hosts: null,
    force_nodes: null,
    instance_group: null,
    scheduler_hints: chance(random, 80) ? {} : { same_host: [aUuid(random)] },
  })
}

/** Image properties of all kinds: current names, names of older releases, and names that nobody knows. */
const PROPERTIES: Readonly<Record<string, string>> = {
  ...{ hw_cpu_cores: '2', hw_architecture: 'amd64', hypervisor_type: 'qemu', hw_numa_nodes: '2', os_distro: 'debian' },
  ...{ 'hw_numa_cpus.0': '0-1', 'hw_numa_cpus.1': '2-3', 'hw_numa_mem.0': '1024', 'hw_numa_mem.1': '1024', colour: 'green' },
}

/** The dictionaries that Nova sent before it had a RequestSpec. */
export function drawLegacySpec(random: Random): unknown {
  const properties = Object.fromEntries(Object.entries(PROPERTIES).filter(() => chance(random, 30)))
  return {
    request_spec: {
      image: { id: aUuid(random), name: 'debian', min_ram: '0', min_disk: '0', properties },
      instance_properties: { uuid: aUuid(random), vcpus: 4, memory_mb: 2_048, root_gb: 10, ephemeral_gb: 0, project_id: 'p1' },
      instance_type: { name: 'm1', flavorid: '1', vcpus: 4, memory_mb: 2_048, root_gb: 10, extra_specs: oneOf(random, EXTRA_SPECS) },
      num_instances: 1,
      instance_uuids: [aUuid(random)],
    },
    filter_properties: { scheduler_hints: chance(random, 80) ? {} : { same_host: [aUuid(random)] } },
  }
}

const SMALL_WRONG: readonly unknown[] = [null, true, -1, 0, 2 ** 53, 1.5, 'many', '', '{', [], {}, [[[]]], '\u202e', '\ud800', '0-3,^1']
/** A damaged list, object or text has at most this many items, keys or bytes. */
const MOST = 20_000
const DEPTH = 60

/**
 * A copy of a document in which something is wrong: a value, a missing or a further key, many keys, a long list, a long text, or deeply
 * nested lists.
 */
export function damage(random: Random, value: unknown): unknown {
  const goesOn = !chance(random, 15)
  if (goesOn && Array.isArray(value) && value.length > 0) {
    const at = random.below(value.length)
    const items: readonly unknown[] = value
    return items.map((item, i) => (i === at ? damage(random, item) : item))
  }
  if (goesOn && typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const entries: readonly (readonly [string, unknown])[] = Object.entries(value)
    const [key, inner] = oneOf(random, entries)
    if (chance(random, 8)) return Object.fromEntries(entries.filter(([other]) => other !== key))
    if (chance(random, 8)) return { ...value, [chance(random, 50) ? '__proto__x' : 'colour']: inner }
    return { ...value, [key]: damage(random, inner) }
  }
  // Nova sends some objects as the text of their JSON
  if (typeof value === 'string' && value.startsWith('{') && chance(random, 60)) return damagedJson(random, value)
  return wrongFor(random, value)
}

function damagedJson(random: Random, text: string): string {
  if (chance(random, 20)) return text.slice(0, random.below(text.length))
  try {
    return JSON.stringify(damage(random, JSON.parse(text)))
  } catch (error) {
    // an earlier damage made the text invalid JSON
    if (error instanceof SyntaxError) return text.slice(1)
    throw error
  }
}

function wrongFor(random: Random, value: unknown): unknown {
  switch (random.below(7)) {
    case 6:
      return Object.fromEntries(Array.from({ length: anyLength(random, MOST) }, (_, i) => [`z${i}.128`, value]))
    case 0:
      return longText(random, MOST)
    case 1:
      return Array.from({ length: anyLength(random, MOST) }, (_, i) => i)
    case 2: {
      const repeated = JSON.stringify(value ?? null).length < 100 ? value : 'x'
      return Array.from({ length: anyLength(random, MOST) }, () => repeated)
    }
    case 3: {
      let deep: unknown = value
      for (let depth = 0; depth < DEPTH; depth++) deep = chance(random, 50) ? [deep] : { deep }
      return deep
    }
    default:
      return oneOf(random, SMALL_WRONG)
  }
}

/** A damage after which a document has more than this many bytes is left out. Two damages can each repeat a value 20,000 times. */
const MOST_BYTES = 1_000_000

/** A document with none to three damages. Two of five documents have none. */
export function maybeDamaged(random: Random, document: unknown): unknown {
  let damaged = document
  for (let count = oneOf(random, [0, 0, 1, 2, 3]); count > 0; count--) {
    const next = damage(random, damaged)
    if (!isLargerThan(next, MOST_BYTES)) damaged = next
  }
  return damaged
}
