import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The contents of a machine's files by path. `{ to }` is a symbolic link to this path. */
export type Tree = Readonly<Record<string, string | { readonly to: string }>>

/** Writes the files of a machine into a new folder. */
export function plant(tree: Tree): { readonly root: string; remove(): void } {
  const root = mkdtempSync(path.join(tmpdir(), 'gantt-machine-'))
  for (const [file, content] of Object.entries(tree)) {
    const at = path.join(root, file)
    mkdirSync(path.dirname(at), { recursive: true })
    if (typeof content === 'string') writeFileSync(at, `${content}\n`)
    else symlinkSync(content.to, at)
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

const CPU = 'sys/devices/system/cpu'
const NODE = 'sys/devices/system/node'

const smaps = '55d0c0000000-55d0c0001000 r--p 00000000 00:00 0\nSize:                  4 kB\nKernelPageSize:        4 kB'
const meminfo = (total: number, available: number): string =>
  `MemTotal:       ${total} kB\nMemFree:        1000 kB\nMemAvailable:   ${available} kB`
const load = {
  'proc/stat': 'cpu  100 0 100 700 100 0 0 0 0 0\ncpu0 100 0 100 700 100 0 0 0 0 0',
  'proc/loadavg': '1.25 0.90 0.70 2/512 4242',
}

/**
 * A machine with 2 sockets, 2 cores per socket and 2 threads per core. Both NUMA cells have pages of 2 MiB, and the second cell has pages
 * of 1 GiB. The machine has a network card with virtual functions and two GPUs.
 */
export const twoSockets: Tree = {
  ...load,
  'proc/cpuinfo':
    'processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Fictitious CPU 9000\nflags\t\t: fpu sse4_2 avx avx2 vmx\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\nmodel name\t: Fictitious CPU 9000',
  'proc/meminfo': meminfo(16_777_216, 12_582_912),
  'proc/self/smaps': smaps,
  'dev/kvm': '',
  'etc/machine-id': '3f0a5c1e7b2d4986a1c3e5f708192a3b',
  [`${CPU}/online`]: '0-7',
  // As with some firmware, consecutive CPU ids alternate between the sockets, and the ids of the two threads of a core differ by 4.
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, cpu) => [
      [`${CPU}/cpu${cpu}/topology/physical_package_id`, String(cpu % 2)],
      [`${CPU}/cpu${cpu}/topology/core_cpus_list`, `${cpu % 4},${(cpu % 4) + 4}`],
    ]).flat(),
  ),
  [`${NODE}/online`]: '0-1',
  [`${NODE}/node0/cpulist`]: '0,2,4,6',
  [`${NODE}/node0/meminfo`]: 'Node 0 MemTotal:        8388608 kB\nNode 0 MemFree:         6000000 kB',
  [`${NODE}/node0/hugepages/hugepages-2048kB/nr_hugepages`]: '1024',
  [`${NODE}/node1/cpulist`]: '1,3,5,7',
  [`${NODE}/node1/meminfo`]: 'Node 1 MemTotal:        8388608 kB\nNode 1 MemFree:         6000000 kB',
  [`${NODE}/node1/hugepages/hugepages-2048kB/nr_hugepages`]: '512',
  [`${NODE}/node1/hugepages/hugepages-1048576kB/nr_hugepages`]: '2',
  ...device('0000:03:00.0', { vendor: '8086', product: '1572', class: '020000', cell: 0, parts: 2 }),
  ...device('0000:03:02.0', { vendor: '8086', product: '154c', class: '020000', cell: 0, of: '0000:03:00.0' }),
  ...device('0000:03:02.1', { vendor: '8086', product: '154c', class: '020000', cell: 0, of: '0000:03:00.0' }),
  ...device('0000:0a:00.0', { vendor: '1a03', product: '2000', class: '030000', cell: -1 }),
  ...device('0000:3b:00.0', { vendor: '10de', product: '20b5', class: '030200', cell: 0 }),
  ...device('0000:af:00.0', { vendor: '10de', product: '20b5', class: '030200', cell: 1, driver: 'vfio-pci' }),
  ...device('0000:b0:00.0', { vendor: '144d', product: 'a808', class: '010802', cell: 1, driver: 'vfio-pci' }),
  'proc/driver/nvidia/gpus/0000:3b:00.0/information': 'Model: \t\t NVIDIA A100-PCIE-80GB\nIRQ:   \t\t 120',
}

/** A virtual machine with 4 CPUs. Its kernel has no NUMA cells, and its PCI bus cannot be read. */
export const withoutCells: Tree = {
  ...load,
  'proc/cpuinfo': ['0', '1', '2', '3'].map((id) => `processor\t: ${id}\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu avx`).join('\n\n'),
  'proc/meminfo': meminfo(4_194_304, 2_097_152),
  'proc/self/smaps': smaps,
}

/**
 * A container on the machine with two sockets. Its control group has 2 GiB of memory, and the group above has 4.5 CPUs and 4 GiB of memory.
 */
export const container: Tree = {
  ...twoSockets,
  'proc/self/cgroup': '0::/pod/app',
  'sys/fs/cgroup/cpu.max': 'max 100000',
  'sys/fs/cgroup/pod/cpu.max': '450000 100000',
  'sys/fs/cgroup/pod/memory.max': '4294967296',
  'sys/fs/cgroup/pod/app/cpu.max': 'max 100000',
  'sys/fs/cgroup/pod/app/memory.max': '2147483648',
}

/** A container on the machine without cells, with control groups of version 1. */
export const oldContainer: Tree = {
  ...withoutCells,
  'proc/self/cgroup': '4:memory:/pod\n1:cpu,cpuacct:/pod\n0::/',
  'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
  'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
  'sys/fs/cgroup/cpu/pod/cpu.cfs_quota_us': '50000',
  'sys/fs/cgroup/cpu/pod/cpu.cfs_period_us': '100000',
  'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
  'sys/fs/cgroup/memory/pod/memory.limit_in_bytes': '1073741824',
}

interface Device {
  readonly vendor: string
  readonly product: string
  readonly class: string
  readonly cell: number
  readonly parts?: number
  readonly of?: string
  readonly driver?: string
}

function device(address: string, { vendor, product, class: kind, cell, parts, of, driver }: Device): Tree {
  const folder = `sys/bus/pci/devices/${address}`
  return {
    [`${folder}/vendor`]: `0x${vendor}`,
    [`${folder}/device`]: `0x${product}`,
    [`${folder}/class`]: `0x${kind}`,
    [`${folder}/numa_node`]: String(cell),
    ...(kind === '030000' && { [`${folder}/boot_vga`]: '1' }),
    ...(parts !== undefined && { [`${folder}/sriov_totalvfs`]: '64', [`${folder}/sriov_numvfs`]: String(parts) }),
    ...(of !== undefined && { [`${folder}/physfn`]: { to: `../${of}` } }),
    ...(driver !== undefined && { [`${folder}/driver`]: { to: `../../drivers/${driver}` } }),
  }
}
