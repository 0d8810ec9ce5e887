import { describe, expect, test } from 'vitest'
import { givenNamesOf, imagePropertiesFrom, propertiesReadAs } from './image-properties.ts'
import type { PythonValue } from './python-json.ts'

const rows: readonly (readonly [string, Readonly<Record<string, PythonValue>>, Readonly<Record<string, PythonValue>>])[] = [
  ['text is converted to numbers', { hw_cpu_cores: '04' }, { hw_cpu_cores: 4 }],
  [
    'yes and off are converted to booleans',
    { hw_qemu_guest_agent: 'yes', hw_boot_menu: 'off' },
    { hw_qemu_guest_agent: true, hw_boot_menu: false },
  ],
  ['legacy names become current names', { architecture: 'amd64', vm_mode: 'pv' }, { hw_architecture: 'x86_64', hw_vm_mode: 'xen' }],
  [
    'a current name takes precedence over a legacy name',
    { architecture: 'i386', hw_architecture: 'aarch64' },
    { hw_architecture: 'aarch64' },
  ],
  [
    'values of text properties become text',
    { hw_mem_page_size: 2048, os_distro: 'debian' },
    { hw_mem_page_size: '2048', os_distro: 'debian' },
  ],
  ['CPUs of nodes become a list of lists', { 'hw_numa_cpus.0': '0-2,^1', 'hw_numa_cpus.1': '3' }, { hw_numa_cpus: [[0, 2], [3]] }],
  ['memory of nodes becomes a list', { 'hw_numa_mem.0': '512', 'hw_numa_mem.1': '1024' }, { hw_numa_mem: [512, 1024] }],
  ['nodes after a gap are ignored', { 'hw_numa_mem.0': '512', 'hw_numa_mem.2': '1' }, { hw_numa_mem: [512] }],
  ['required traits become a list', { 'trait:HW_A': 'required', 'trait:HW_B': 'forbidden' }, { traits_required: ['HW_A'] }],
  ['a list of traits given directly is ignored', { traits_required: ['HW_A'] }, {}],
  [
    'a legacy adapter becomes a bus and a model',
    { vmware_adaptertype: 'lsiLogicsas' },
    { hw_disk_bus: 'scsi', hw_scsi_model: 'lsisas1068' },
  ],
  ['the legacy adapter ide becomes a bus only', { vmware_adaptertype: 'ide' }, { hw_disk_bus: 'ide' }],
  ['legacy models are renamed', { hw_vif_model: 'VirtualE1000' }, { hw_vif_model: 'e1000' }],
  ['properties that Nova does not know are left out', { owner_specified: 'x', hw_vm_mode: 'HVM' }, { hw_vm_mode: 'hvm' }],
  ['a condition on versions is not changed', { hypervisor_version_requires: '>=6.0,<8.0' }, { img_hv_requested_version: '>=6.0,<8.0' }],
]

test.each(rows)('%s', (_name, raw, properties) => {
  expect(imagePropertiesFrom(raw)).toEqual(properties)
})

test.each([
  ['hw_cpu_cores', 'four'],
  ['hw_cpu_policy', 'sometimes'],
  ['hw_architecture', 'arm64'],
  ['hw_numa_nodes', null],
  ['img_hv_requested_version', '7'],
  ['os_distro', null],
])('%s refuses %j, and names the source of the value', (name, value) => {
  expect(() => imagePropertiesFrom({ [name]: value })).toThrow(
    expect.objectContaining({ kind: 'ValueError', message: expect.stringContaining(name) }),
  )
})

test('an invalid CPU list is refused', () => {
  expect(() => imagePropertiesFrom({ 'hw_numa_cpus.0': '3-1' })).toThrow(expect.objectContaining({ kind: 'Invalid' }))
})

describe('the properties of NUMA nodes', () => {
  test('are read up to the first node that is missing, and only with the number as Nova writes it', () => {
    const raw = { 'hw_numa_mem.0': '1', 'hw_numa_mem.01': '1', 'hw_numa_mem.1': '1', 'hw_numa_mem.3': '1', 'other.0': '1' }
    expect(Object.keys(raw).filter((key) => propertiesReadAs(raw, key).length > 0)).toEqual(['hw_numa_mem.0', 'hw_numa_mem.1'])
    expect(givenNamesOf(raw, 'hw_numa_mem')).toEqual(['hw_numa_mem.0', 'hw_numa_mem.1'])
  })

  test('are looked up at most 128 times for each node that Nova can read, and not at all for other keys', () => {
    const nodes = Array.from({ length: 128 }, (_, i) => `hw_numa_mem.${i}`)
    const others = Array.from({ length: 1_000 }, (_, i) => [`z${i}.127`, `hw_numa_mem.${'0'.repeat(i + 1)}127`]).flat()
    let looks = 0
    const raw = new Proxy(Object.fromEntries([...nodes, ...others].map((key) => [key, '1'])), {
      getOwnPropertyDescriptor(target, key) {
        looks++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
    for (const key of others) expect(propertiesReadAs(raw, key)).toEqual([])
    expect(looks).toBe(0)
    for (const key of nodes) expect(propertiesReadAs(raw, key)).toEqual(['hw_numa_mem'])
    expect(looks).toBeLessThanOrEqual(128 * 128)
  })
})
