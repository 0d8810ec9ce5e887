import { expect, test } from 'vitest'
import type { PciRequest } from '../../hardware/pci.ts'
import { aHostState, aNovaRequest } from '../../testing/builders.ts'
import { pciPassthroughFilter } from './pci-passthrough.ts'

const check = (given: Parameters<typeof aHostState>[0], requests: readonly PciRequest[]) =>
  pciPassthroughFilter.prepare(aNovaRequest({ pciRequests: requests }), {}, { now: 0 })?.(aHostState(given))

const pool = (count: number, keys: object = {}) => ({ count, keys: { vendor_id: '8086', product_id: '1520', numa_node: 0, ...keys } })
const ask = (count: number, keys: object = {}) => ({ count, spec: [{ vendor_id: '8086', ...keys }], alias: 'nic' })

test.each([
  ['no device is requested', [], [], undefined],
  ['a pool has enough', [pool(2)], [ask(2)], undefined],
  ['two pools have enough together', [pool(1), pool(1, { product_id: '1521' })], [ask(2)], undefined],
  ['the pools have too few devices', [pool(2)], [ask(3)], { code: 'pci.short', need: 3, have: 2 }],
  ['the first request leaves too few for the second', [pool(2)], [ask(2), ask(1)], { code: 'pci.short', need: 1, have: 0 }],
  ['the host reported none', [], [ask(1)], { code: 'pci.not_reported', need: 1, have: 0 }],
  ['the request names another vendor', [pool(2)], [{ ...ask(1), spec: [{ vendor_id: '10de' }] }], { code: 'pci.short', need: 1, have: 0 }],
  [
    'a physical function is not assigned to a request that does not name its type',
    [pool(2, { dev_type: 'type-PF' })],
    [ask(1)],
    { code: 'pci.unasked', need: 1, have: 0 },
  ],
  [
    'a physical function is assigned to a request that names its type',
    [pool(2, { dev_type: 'type-PF' })],
    [ask(1, { dev_type: 'type-PF' })],
    undefined,
  ],
  [
    'the NUMA cell of the device is ignored by this filter',
    [pool(1, { numa_node: 3 })],
    [{ ...ask(1), numaPolicy: 'required' as const }],
    undefined,
  ],
])('%s', (_what, pciPools, requests, reason) => {
  const said = check({ pciPools }, requests)
  if (reason === undefined) expect(said).toBeUndefined()
  else
    expect(said).toMatchObject({
      ...reason,
      subject: expect.stringMatching(/^nic \(vendor (8086|10de)\)$/),
      unit: 'devices',
      source: 'PCI requests',
    })
})
