import { describe, expect, test } from 'vitest'
import { type HostStats, parseHostStats } from '../../report/stats.ts'
import { readNovaComputeNode } from '../objects/compute-node.ts'
import { importNovaHost } from './host.ts'

/*
 * Rows of the database table compute_nodes, as the resource trackers of Juno (2014.2) and Kilo (2015.1.0) sent them to
 * update_resource_stats. Each test row is named after the release, and after Nova's own test if there is one of the same situation.
 */

const wire = (name: string, version: string, data: object) => ({
  ...{ 'nova_object.name': name, 'nova_object.namespace': 'nova', 'nova_object.version': version, 'nova_object.data': data },
})
/** The row `fake_compute_node` in Nova's tests of ComputeNode. */
const row = {
  ...{ created_at: '2015-01-26T13:28:15Z', updated_at: null, deleted_at: null, deleted: 0, id: 123, service_id: 456, host: 'fake' },
  ...{ vcpus: 4, memory_mb: 4_096, local_gb: 1_024, vcpus_used: 2, memory_mb_used: 2_048, local_gb_used: 512 },
  ...{ hypervisor_type: 'Hyper-Dan-VM-ware', hypervisor_version: 1_001, hypervisor_hostname: 'vm.danplanet.com' },
  ...{ free_ram_mb: 2_048, free_disk_gb: 256, current_workload: 100, running_vms: 3, cpu_info: 'Schmintel i786' },
  ...{
    disk_available_least: 256,
    metrics: '',
    stats: '{"num_instances": 3, "io_workload": "1", "num_os_type_None": null}',
    host_ip: '127.0.0.1',
  },
  numa_topology: null,
  supported_instances: '[["x86_64", "kvm", "hvm"], ["i686", "kvm", "hvm"]]',
  pci_stats: '[]',
  extra_resources: null,
}

function read(given: unknown): { readonly stats: HostStats; readonly unknown: readonly string[] } {
  const imported = importNovaHost(given, 'fake')
  if (!imported.ok) throw new Error(imported.problems.map(({ message }) => message).join('; '))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return { stats: parsed.value, unknown: imported.unknown }
}

const pool = { vendor_id: '8086', product_id: '10fb', count: 2, t1: 'v1' }
const pools = { pciPools: [{ vendorId: '8086', productId: '10fb', numaNode: null, tags: { t1: 'v1' }, total: 2, used: 0 }] }
const cell = { id: 0, cpuset: [1, 2], memory: 512, cpu_usage: 0, memory_usage: 0, mempages: [], pinned_cpus: [], siblings: [] }
const cells = { numaCells: [{ id: 0, cpuset: [1, 2], memoryMb: 512 }] }

describe('a row of compute_nodes', () => {
  test.each<[string, object, object]>([
    [
      'Kilo: every column is set (fake_compute_node)',
      {},
      {
        ...{ vcpus: 4, vcpusUsed: 2, memoryMb: 4_096, memoryMbUsed: 2_048, localGb: 1_024, localGbUsed: 512, freeDiskGb: 256 },
        ...{
          runningVms: 3,
          numIoOps: 1,
          hypervisorType: 'Hyper-Dan-VM-ware',
          hypervisorVersion: 1_001,
          hostIp: '127.0.0.1',
          cpuInfo: null,
        },
        supportedInstances: [
          { arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' },
          { arch: 'i686', hvType: 'kvm', vmMode: 'hvm' },
        ],
      },
    ],
    ['Juno: without its host, which the service names (fake_old_compute_node)', { host: undefined }, { vcpus: 4 }],
    ['Juno: statistics that are an object, not yet text', { stats: { num_instances: 5 } }, { runningVms: 5 }],
    ['Juno: statistics that are empty', { stats: '' }, { runningVms: 0 }],
    ['Juno: sizes as text', { vcpus: '8', memory_mb: '8192', free_disk_gb: '10' }, { vcpus: 8, memoryMb: 8_192, freeDiskGb: 10 }],
    [
      'Liberty: ratios that are not set',
      { cpu_allocation_ratio: null, ram_allocation_ratio: '1.5' },
      { cpuAllocationRatio: 1, ramAllocationRatio: 1.5 },
    ],
    [
      'Kilo: devices as a versioned object (test_from_pci_stats_obj)',
      {
        pci_stats: JSON.stringify(
          wire('PciDevicePoolList', '1.1', {
            objects: [
              wire('PciDevicePool', '1.1', { vendor_id: '8086', product_id: '10fb', numa_node: null, count: 2, tags: { t1: 'v1' } }),
            ],
          }),
        ),
      },
      pools,
    ],
    ['Juno: devices as one dictionary (test_from_pci_stats_dict)', { pci_stats: JSON.stringify(pool) }, pools],
    ['Juno: devices as a list of dictionaries (test_from_pci_stats_list_of_dicts)', { pci_stats: JSON.stringify([pool]) }, pools],
    ['Kilo: pools under their new name (test_update_compute_node_works)', { pci_stats: undefined, pci_device_pools: [pool] }, pools],
    [
      'Kilo: pools that are null (test_update_resource_stats_pci_device_pools_none)',
      { pci_stats: undefined, pci_device_pools: null },
      { pciPools: [] },
    ],
    [
      'Kilo: cells as the JSON of their object',
      { numa_topology: JSON.stringify(wire('NUMATopology', '1.2', { cells: [wire('NUMACell', '1.2', cell)] })) },
      cells,
    ],
    [
      'Juno: cells as the text of VirtNUMAHostTopology',
      { numa_topology: '{"cells": [{"cpus": "1,2", "mem": {"total": 512, "used": 0}, "id": 0, "cpu_usage": 0}]}' },
      cells,
    ],
    [
      'Kilo: the features of the CPUs in cpu_info',
      { cpu_info: '{"arch": "x86_64", "model": "Nehalem", "features": ["xtpr"], "topology": {"sockets": 1}}' },
      { cpuInfo: { arch: 'x86_64', features: ['xtpr'] } },
    ],
    [
      'Kilo: measurements',
      { metrics: '[{"name": "cpu.percent", "value": 0.25, "timestamp": "2015-01-26T13:28:15Z", "source": "libvirt.LibvirtDriver"}]' },
      { metrics: [{ name: 'cpu.percent', value: 25 }] },
    ],
  ])('%s', (_what, more, typed) => {
    expect(read({ ...row, ...more }).stats).toMatchObject(typed)
  })

  test("a row is stored as a ComputeNode object, which Nova's rules read", () => {
    const { stats, unknown } = read({ compute_node: row, service: { disabled: false } })
    const { node } = readNovaComputeNode(stats.nova?.computeNode)
    expect(node).toMatchObject({
      freeRamMb: 2_048,
      stats: { num_instances: '3', io_workload: '1' },
      supportedInstances: [
        ['x86_64', 'kvm', 'hvm'],
        ['i686', 'kvm', 'hvm'],
      ],
    })
    expect(unknown).toEqual([])
  })

  test('an import of a row lists the fields that have no effect', () => {
    expect(read({ ...row, extra_resources: '{"gpu": 2}', colour: 'red' }).unknown).toEqual([
      'computeNode.colour',
      'computeNode.extra_resources',
    ])
  })

  test.each<[string, object, string, string]>([
    ['statistics that are not valid JSON', { stats: '{' }, 'stats', 'JSON text'],
    ['statistics that are a list', { stats: '[]' }, 'stats', 'an object'],
    [
      'devices that are not valid JSON (test_from_pci_stats_bad)',
      { pci_stats: 'not a valid json string for an object' },
      'pci_stats',
      'JSON text',
    ],
    ['an entry of supported instances with two items', { supported_instances: '[["x86_64", "kvm"]]' }, 'supported_instances.0', 'mode'],
    ['a size that is not a number', { vcpus: 'many' }, 'vcpus', 'a whole number'],
    ['a ratio that is not a number', { cpu_allocation_ratio: 'twice' }, 'cpu_allocation_ratio', 'a number'],
    ['a row of a host other than the one that reports', { host: 'other' }, 'host', 'fake, the host that reports'],
  ])('%s is refused with its path', (_what, more, path, allowed) => {
    const imported = importNovaHost({ ...row, ...more }, 'fake')
    expect(imported.ok ? [] : [imported.problems[0]?.path.join('.'), imported.problems[0]?.expected]).toEqual([
      path,
      expect.stringContaining(allowed),
    ])
  })
})
