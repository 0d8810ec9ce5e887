import { expect, test } from 'vitest'
import { aRequest } from '../../testing/index.ts'
import { withAmount, withCells } from './change-request.ts'

const cell = (id: number, cpus: number[]) => ({ id, cpus, memoryMb: 1_024 })

const properties = { hw_numa_nodes: '2', 'hw_numa_cpus.0': '0-1', 'hw_numa_mem.1': '1024', hw_machine_type: 'q35' }
const extraSpecs = { 'hw:numa_nodes': '2', 'hw:numa_cpus.0': '0-1', 'hw:cpu_policy': 'shared' }
const request = aRequest({
  flavor: { vcpus: 4, memoryMb: 2_048, rootGb: 1, extraSpecs },
  image: { properties },
  numaTopology: { cells: [cell(0, [0, 1]), cell(1, [2, 3])] },
})

test.each([
  ['one cell instead of two', withCells(request, (request.numaTopology?.cells ?? []).slice(0, 1)), '1'],
  ['fewer CPUs in the same cells', withAmount(request, 'VCPU', 2), '2'],
])('%s: no extra spec and no image property states the old cells', (_name, changed, nodes) => {
  expect(changed.image?.properties).toEqual({ hw_machine_type: 'q35' })
  expect(changed.flavor.extraSpecs).toEqual({ 'hw:numa_nodes': nodes, 'hw:cpu_policy': 'shared' })
})
