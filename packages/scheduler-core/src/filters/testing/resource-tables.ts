import { b12Pages, cell, device, type FilterTables, flavor, guest, pages, pool, specs, threads } from './rows.ts'

export const resourceTables: FilterTables = {
  ResourceClassFilter: {
    'a request without resources is not checked': { request: { vcpus: 0, memoryMb: 0 }, says: 'NOT_ASKED' },
    'a class that the host does not report fails': {
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: { code: 'class.not_reported', subject: 'CUSTOM_X', need: 1, have: 0, unit: 'CUSTOM_X' },
    },
    'a class that Nova does not know is requested like any other': {
      request: specs({ 'resources:FOO': '1' }),
      says: { code: 'class.not_reported', subject: 'FOO', need: 1, have: 0, unit: 'FOO' },
    },
    'an amount of 0 has no effect': { request: specs({ 'resources:CUSTOM_X': '0' }), says: true },
    'the last unit fits': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3, used: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: true,
    },
    'one unit short fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3, used: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '2' }),
      says: { code: 'class.short', subject: 'CUSTOM_X', need: 2, have: 1, unit: 'CUSTOM_X' },
    },
    'less than the smallest unit fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, minUnit: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '1' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 1, have: '2 to any in steps of 1', unit: 'CUSTOM_X' },
    },
    'more than the largest unit fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, maxUnit: 4 }] },
      request: specs({ 'resources:CUSTOM_X': '5' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 5, have: '1 to 4 in steps of 1', unit: 'CUSTOM_X' },
    },
    'the largest unit fits': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, maxUnit: 4 }] },
      request: specs({ 'resources:CUSTOM_X': '4' }),
      says: true,
    },
    'an amount between the steps fails': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 8, stepSize: 2 }] },
      request: specs({ 'resources:CUSTOM_X': '3' }),
      says: { code: 'class.unit', subject: 'CUSTOM_X', need: 3, have: '2 to any in steps of 2', unit: 'CUSTOM_X' },
    },
    'amounts of several groups for one class are summed': {
      host: { inventories: [{ resourceClass: 'CUSTOM_X', total: 3 }] },
      request: {
        requestedResources: [
          { amounts: [{ resourceClass: 'CUSTOM_X', amount: 2 }] },
          { amounts: [{ resourceClass: 'CUSTOM_X', amount: 2 }] },
        ],
      },
      says: { code: 'class.short', subject: 'CUSTOM_X', need: 4, have: 3, unit: 'CUSTOM_X' },
    },
    'an extra spec overrides the amount of the flavor': {
      host: { vcpus: 1 },
      request: { ...flavor({ vcpus: 8, extraSpecs: { 'resources:VCPU': '1' } }) },
      says: true,
    },
  },
  NUMATopologyFilter: {
    'a request without a topology is not checked': { says: 'NOT_ASKED' },
    'a host without cells fails': {
      request: { numaTopology: { cells: [guest(0, 1, 1)] } },
      says: { code: 'numa.not_reported', subject: 'NUMA', need: 1, have: 0, unit: 'cells' },
    },
    'more guest cells than host cells fail': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 1, 1), guest(1, 1, 1)] } },
      says: { code: 'numa.cells', subject: 'NUMA', need: 2, have: 1, unit: 'cells' },
    },
    'the last CPU and MiB of a cell fit': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 4, 4_096)] } },
      says: true,
    },
    'one MiB more than a cell has fails': {
      host: { numaCells: [cell(0), cell(1)] },
      request: { numaTopology: { cells: [guest(0, 1, 4_097)] } },
      says: { code: 'numa.memory', subject: 'cell 0', need: 4_097, have: 4_096, unit: 'MiB' },
    },
    'one shared CPU more than a cell has fails': {
      host: { numaCells: [cell(0), cell(1)] },
      request: { numaTopology: { cells: [guest(0, 5, 1)] } },
      says: { code: 'numa.cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'overcommit applies to shared CPUs': {
      host: { cpuAllocationRatio: 2, numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 8, 1)] } },
      says: true,
    },
    'overcommit never applies to dedicated CPUs': {
      host: { cpuAllocationRatio: 2, numaCells: [cell(0)] },
      request: { numaTopology: { cells: [guest(0, 5, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'a CPU that the report pins cannot be dedicated': {
      host: { numaCells: [cell(0, { pinnedCpus: [1] })] },
      request: { numaTopology: { cells: [guest(0, 4, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 4, have: 3, unit: 'CPUs' },
    },
    'CPUs in one cell and memory in another do not add up': {
      host: { numaCells: [cell(0, { cpuUsage: 4 }), cell(1, { memoryUsageMb: 4_096 })] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] } },
      says: { code: 'numa.no_cell', subject: 'cell 0', need: 1, have: 0, unit: 'CPUs with enough memory in one cell' },
    },
    'a mixed guest needs enough dedicated CPUs and enough shared CPUs': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 5, 1), cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }] } },
      says: { code: 'numa.cpus', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs' },
    },
    'a mixed guest that needs the last dedicated and the last shared CPUs fits': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 4, 1), cpuPolicy: 'mixed', dedicatedCpus: [0, 1] }] } },
      says: true,
    },
    'only CPUs that the host allows are dedicated': {
      host: { numaCells: [cell(0, { dedicatedCpuset: [2, 3] })] },
      request: { numaTopology: { cells: [guest(0, 3, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs' },
    },
    'three CPUs that each need a whole core do not fit on two cores of two threads': {
      host: { numaCells: [cell(0, threads)] },
      request: { numaTopology: { cells: [{ ...guest(0, 3, 1, 'dedicated'), cpuThreadPolicy: 'isolate' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 3, have: 2, unit: 'CPUs', source: 'thread policy isolate' },
    },
    'a core with a pinned thread cannot be dedicated as a whole': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'isolate' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 2, have: 1, unit: 'CPUs', source: 'thread policy isolate' },
    },
    'a request for whole cores fails if only one thread of each is free': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1, 3] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'require' }] } },
      says: { code: 'numa.threads', subject: 'cell 0', need: 2, have: 0, unit: 'CPUs', source: 'thread policy require' },
    },
    'single threads suffice if whole cores are only preferred': {
      host: { numaCells: [cell(0, { ...threads, pinnedCpus: [1, 3] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 2, 1, 'dedicated'), cpuThreadPolicy: 'prefer' }] } },
      says: true,
    },
    'the emulator needs a CPU in addition to the guest’s': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { emulatorThreadsPolicy: 'isolate', cells: [guest(0, 4, 1, 'dedicated')] } },
      says: { code: 'numa.dedicated_cpus', subject: 'cell 0', need: 5, have: 4, unit: 'CPUs' },
    },
    'a host without reported pages has no pages of a requested size': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 2_048 }] } },
      says: { code: 'numa.page_size', subject: 'cell 0', need: '2048 KiB', have: 'no page sizes' },
    },
    'small pages exist even if the host reports none': {
      host: { numaCells: [cell(0)] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 'small' }] } },
      says: true,
    },
    'the last page fits': {
      host: { numaCells: [cell(0, { pages: pages(4) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 4), pageSize: 'large' }] } },
      says: true,
    },
    'one page short fails': {
      host: { numaCells: [cell(0, { pages: pages(4) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 6), pageSize: 'large' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 3, have: 2, unit: 'pages of 2048 KiB' },
    },
    'used pages and reserved pages are not free': {
      host: { numaCells: [cell(0, { pages: [{ sizeKib: 2_048, total: 9, used: 4, reserved: 3 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 6), pageSize: 2_048 }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 3, have: 2, unit: 'pages of 2048 KiB' },
    },
    'B12: small pages are those of 4 KiB, however many larger ones there are': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'small' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: large pages are not counted as pages of 4 KiB': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 61_440), pageSize: 'large' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 60, have: 56, unit: 'pages of 1048576 KiB' },
    },
    'B12 kind: for pages of any size the reason names the size with most free memory': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: [b12Pages[0] as never, { sizeKib: 1_048_576, total: 4 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'any' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: for pages of one size the reason names that size': {
      host: { numaCells: [cell(0, { memoryMb: 131_072, pages: b12Pages })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 4 }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'B12 kind: large pages fail on a host with small pages only': {
      host: { numaCells: [cell(0, { pages: [{ sizeKib: 4, total: 1_048_576 }] })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 1_024), pageSize: 'large' }] } },
      says: { code: 'numa.page_size', subject: 'cell 0', need: 'large pages', have: '4 KiB' },
    },
    'B12 kind: the small pages of each cell are those of its own smallest size': {
      host: {
        numaCells: [
          cell(0, { memoryMb: 131_072, pages: [{ sizeKib: 64, total: 1_000 }, b12Pages[1] as never] }),
          cell(1, { memoryMb: 131_072, pages: b12Pages }),
        ],
      },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 20_480), pageSize: 'small' }] } },
      says: { code: 'numa.pages', subject: 'cell 0', need: 5_242_880, have: 2_097_152, unit: 'pages of 4 KiB' },
    },
    'memory that is not a multiple of the page size fails': {
      host: { numaCells: [cell(0, { pages: pages(8) })] },
      request: { numaTopology: { cells: [{ ...guest(0, 1, 3), pageSize: 2_048 }] } },
      says: { code: 'numa.page_multiple', subject: 'cell 0', need: 2_048, have: 3_072, unit: 'KiB' },
    },
    'a device near to one cell fails if the guest fits only on another': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_096 })], pciPools: [pool(1, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: { code: 'pci.numa', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'the guest is placed on the cell of the device': {
      host: { numaCells: [cell(0), cell(1)], pciPools: [pool(1, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: true,
    },
    'two guest cells that both fit only on the same host cell fail': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_096 })] },
      request: { numaTopology: { cells: [guest(0, 1, 1), guest(1, 1, 1)] } },
      says: { code: 'numa.no_match', subject: 'NUMA', need: 2, have: 1, unit: 'cells' },
    },
    'a small guest cell is moved so that a large guest cell fits': {
      host: { numaCells: [cell(0), cell(1, { memoryUsageMb: 4_000 })] },
      request: { numaTopology: { cells: [guest(0, 1, 64), guest(1, 1, 4_096)] } },
      says: true,
    },
  },
  GpuFilter: {
    'a request without GPUs is not checked': { says: 'NOT_ASKED' },
    'a host without GPUs fails': {
      request: { gpus: { count: 2 } },
      says: { code: 'gpu.none', subject: 'GPU', need: 2, have: 0, unit: 'GPUs' },
    },
    'an idle GPU is a whole GPU': { host: { gpus: [{ index: 0 }] }, request: { gpus: {} }, says: true },
    'a GPU with one thousandth in use is not a whole GPU': {
      host: { gpus: [{ index: 0, usedMilli: 1 }] },
      request: { gpus: {} },
      says: { code: 'gpu.short', subject: 'whole GPU', need: 1, have: 0, unit: 'GPUs' },
    },
    'the last thousandth of a share fits': {
      host: { gpus: [{ index: 0, usedMilli: 600 }] },
      request: { gpus: { shareMilli: 400 } },
      says: true,
    },
    'one thousandth short fails': {
      host: { gpus: [{ index: 0, usedMilli: 601 }] },
      request: { gpus: { shareMilli: 400 } },
      says: { code: 'gpu.short', subject: 'GPU with 400/1000 free', need: 1, have: 0, unit: 'GPUs' },
    },
    'shares of one GPU cannot replace another GPU': {
      host: {
        gpus: [
          { index: 0, usedMilli: 500 },
          { index: 1, usedMilli: 500 },
        ],
      },
      request: { gpus: { shareMilli: 600 } },
      says: { code: 'gpu.short', subject: 'GPU with 600/1000 free', need: 1, have: 0, unit: 'GPUs' },
    },
    'each of several shares needs a separate GPU': {
      host: { gpus: [{ index: 0 }] },
      request: { gpus: { count: 2, shareMilli: 500 } },
      says: { code: 'gpu.count', subject: 'GPU', need: 2, have: 1, unit: 'GPUs' },
    },
    'a different model fails': {
      host: { gpus: [{ index: 0, model: 'A100' }, { index: 1 }] },
      request: { gpus: { models: ['H100', 'H200'] } },
      says: { code: 'gpu.model', subject: 'GPU', need: 'H100 or H200', have: 'A100, unnamed', unit: 'model' },
    },
    'one of the models is enough': {
      host: { gpus: [{ index: 0, model: 'A100' }] },
      request: { gpus: { models: ['H100', 'A100'] } },
      says: true,
    },
    'too few of the model fail, however many others are there': {
      host: {
        gpus: [
          { index: 0, model: 'A100' },
          { index: 1, model: 'T4' },
        ],
      },
      request: { gpus: { count: 2, models: ['A100'] } },
      says: { code: 'gpu.count', subject: 'GPU of model A100', need: 2, have: 1, unit: 'GPUs' },
    },
  },
  PciPassthroughFilter: {
    'a request without devices is not checked': { says: 'NOT_ASKED' },
    'a host that reports no devices fails': {
      request: { pciRequests: [device()] },
      says: { code: 'pci.not_reported', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'the last device fits': { host: { pciPools: [pool(null, 2, { used: 1 })] }, request: { pciRequests: [device()] }, says: true },
    'one device short fails': {
      host: { pciPools: [pool(null, 2, { used: 1 })] },
      request: { pciRequests: [device('legacy', 2)] },
      says: { code: 'pci.short', subject: 'nic (vendor 8086)', need: 2, have: 1, unit: 'devices' },
    },
    'devices of several pools add up': {
      host: { pciPools: [pool(0, 1), pool(1, 1)] },
      request: { pciRequests: [device('legacy', 2)] },
      says: true,
    },
    'a device of another vendor does not match': {
      host: { pciPools: [{ vendorId: '10de', productId: '1', total: 4 }] },
      request: { pciRequests: [device()] },
      says: { code: 'pci.short', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'upper and lower case letters are equal, in the values of tags as elsewhere': {
      host: { pciPools: [pool(null, 1, { tags: { physical_network: 'Blue' } })] },
      request: { pciRequests: [{ ...device(), specs: [{ vendor_id: 'ffff' }, { vendor_id: '8086', physical_network: 'BLUE' }] }] },
      says: true,
    },
    'a physical function is not allocated to a request that does not name its type': {
      host: { pciPools: [pool(null, 3, { deviceType: 'type-PF' })] },
      request: { pciRequests: [device()] },
      says: { code: 'pci.unasked', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'a physical function is allocated to a request that names its type': {
      host: { pciPools: [pool(null, 3, { deviceType: 'type-PF' })] },
      request: { pciRequests: [{ ...device(), specs: [{ vendor_id: '8086', dev_type: 'type-PF' }] }] },
      says: true,
    },
    'two requests for one device fail': {
      host: { pciPools: [pool(null, 1)] },
      request: { pciRequests: [device(), { ...device(), alias: 'other' }] },
      says: { code: 'pci.short', subject: 'other (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'a less specific device request leaves the device to a more specific one': {
      host: { pciPools: [pool(null, 1, { deviceType: 'type-VF' }), pool(null, 1)] },
      request: { pciRequests: [device(), { ...device(), specs: [{ dev_type: 'type-VF' }] }] },
      says: true,
    },
    'a device without a cell is near to no cell': {
      host: { numaCells: [cell(0)], pciPools: [pool(null, 1)] },
      request: { numaTopology: { cells: [guest(0, 1, 1)] }, pciRequests: [device('required')] },
      says: { code: 'pci.numa', subject: 'nic (vendor 8086)', need: 1, have: 0, unit: 'devices' },
    },
    'a guest without cells takes a device anywhere': {
      host: { numaCells: [cell(0)], pciPools: [pool(7, 1)] },
      request: { pciRequests: [device('required')] },
      says: true,
    },
  },
}
