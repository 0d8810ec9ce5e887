import { expect, test } from 'vitest'
import { aUuid } from '../../../testing/index.ts'
import { saidOf, withNova } from '../testing/case.ts'

test.each<readonly [string, string, Record<string, string>, string]>([
  ['its own name', 'hw_vm_mode', { hw_vm_mode: 'xen' }, 'image hw_vm_mode -> not asked'],
  ['an older name', 'hw_vm_mode', { vm_mode: 'xen' }, 'image vm_mode -> not asked'],
  ['the adapter that the bus is read from', 'hw_disk_bus', { vmware_adaptertype: 'ide' }, 'image vmware_adaptertype -> not asked'],
  ['a property of each node', 'hw_numa_mem', { 'hw_numa_mem.0': '512' }, 'image hw_numa_mem.0 -> not asked'],
])(
  'if no host accepts the value of an image property, the proposal drops the property by the name that the image uses: %s',
  (_case, name, properties, expected) => {
    const said = saidOf({
      hosts: { h1: {} },
      request: { image: { id: aUuid(1), properties } },
      aggregates: [{ name: 'kept', hosts: ['h1'], metadata: { [name]: 'hvm' } }],
      profile: withNova('AggregateImagePropertiesIsolation'),
    })
    expect(said).toContain(expected)
  },
)
