import { expect, test } from 'vitest'
import { consumePci, type PciPlaces, type PciPool, type PciRequest, supportPciRequests } from './pci.ts'
import { readPciPools, readPciRequests } from './read-pci.ts'

const VF = { vendor_id: '8086', product_id: '1520', dev_type: 'type-VF' }
const pool = (count: number, numa_node: number | null = null, more: PciPool['keys'] = {}): PciPool => ({
  keys: { ...VF, numa_node, ...more },
  count,
})
const ask = (count: number, more: Partial<PciRequest> = {}): PciRequest => ({
  count,
  spec: [{ vendor_id: '8086', product_id: '1520' }],
  ...more,
})
const cells = (...chosen: number[]): PciPlaces => ({
  cells: chosen,
  sockets: new Map([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
  ]),
})

type Row = readonly [
  name: string,
  pools: readonly PciPool[],
  requests: readonly PciRequest[],
  places: PciPlaces | undefined,
  why: object | undefined,
]

const rows: readonly Row[] = [
  ['enough devices pass', [pool(2)], [ask(2)], undefined, undefined],
  [
    'one device short fails',
    [pool(1)],
    [ask(2, { alias: 'a1' })],
    undefined,
    { code: 'pci.short', subject: 'a1 (vendor 8086, product 1520)', need: 2, have: 1 },
  ],
  ['devices are counted over pools', [pool(1), pool(1, 1)], [ask(2)], undefined, undefined],
  [
    'a later request has what the earlier left',
    [pool(2)],
    [ask(1), ask(2)],
    undefined,
    { code: 'pci.short', subject: 'request 1 (vendor 8086, product 1520)', need: 2, have: 1 },
  ],
  ['no pools at all fail', [], [ask(1)], undefined, { code: 'pci.not_reported', need: 1, have: 0 }],
  [
    'none is asked of none: refused',
    [pool(2, null, { vendor_id: '10de' })],
    [ask(0)],
    undefined,
    { code: 'pci.unasked', need: 0, have: 0 },
  ],
  ['text is alike in any case', [pool(1, null, { tag: 'PhysNet' })], [ask(1, { spec: [{ tag: 'physnet' }] })], undefined, undefined],
  ['a number is never alike to text', [pool(1, 1)], [ask(1, { spec: [{ numa_node: '1' }] })], undefined, { code: 'pci.short' }],
  ['a key that the pool lacks is null', [pool(1)], [ask(1, { spec: [{ tag: null }] })], undefined, undefined],
  ['lists are alike where they contain', [pool(1, null, { c: ['a', 'b'] })], [ask(1, { spec: [{ c: ['b'] }] })], undefined, undefined],
  [
    'one alternative of several is enough',
    [pool(1)],
    [ask(1, { spec: [{ vendor_id: 'x' }, { vendor_id: '8086' }] })],
    undefined,
    undefined,
  ],
  [
    'a physical function is not given unasked',
    [pool(1, null, { dev_type: 'type-PF' })],
    [ask(1)],
    undefined,
    { code: 'pci.unasked', have: 0 },
  ],
  [
    'a physical function is given when asked',
    [pool(1, null, { dev_type: 'type-PF' })],
    [ask(1, { spec: [{ dev_type: 'type-PF' }] })],
    undefined,
    undefined,
  ],
  ['vdpa is not given unasked', [pool(1, null, { dev_type: 'vdpa' })], [ask(1)], undefined, { code: 'pci.unasked' }],
  ['remote managed is not given unasked', [pool(1, null, { remote_managed: 'Yes' })], [ask(1)], undefined, { code: 'pci.unasked' }],
  [
    'remote managed is given when asked',
    [pool(1, null, { remote_managed: 'true' })],
    [ask(1, { spec: [{ remote_managed: 'True' }] })],
    undefined,
    undefined,
  ],
  ['legacy takes devices of no cell', [pool(1)], [ask(1)], cells(0), undefined],
  ['legacy refuses devices of another cell', [pool(1, 1)], [ask(1)], cells(0), { code: 'pci.numa', need: 1, have: 0 }],
  ['required refuses devices of no cell', [pool(1)], [ask(1, { numaPolicy: 'required' })], cells(0), { code: 'pci.numa' }],
  ['preferred takes any', [pool(1, 1)], [ask(1, { numaPolicy: 'preferred' })], cells(0), undefined],
  ['socket takes the other cell of the socket', [pool(1, 1)], [ask(1, { numaPolicy: 'socket' })], cells(0), undefined],
  ['socket refuses another socket', [pool(1, 2)], [ask(1, { numaPolicy: 'socket' })], cells(0), { code: 'pci.numa' }],
  ['socket refuses devices of no cell', [pool(1)], [ask(1, { numaPolicy: 'socket' })], cells(0), { code: 'pci.numa' }],
  ['without chosen cells no policy counts', [pool(1, 1)], [ask(1, { numaPolicy: 'required' })], undefined, undefined],
]

test.each(rows)('%s', (_name, pools, requests, places, why) => {
  const found = supportPciRequests(pools, requests, places)
  if (why === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(why)
})

test('socket refuses where a cell does not say its socket', () => {
  const places = {
    cells: [0],
    sockets: new Map([
      [0, 0],
      [1, null],
    ]),
  }
  expect(supportPciRequests([pool(1, 1)], [ask(1, { numaPolicy: 'socket' })], places)).toMatchObject({ code: 'pci.numa', have: 0 })
})

test('a pool that is used up leaves the list; one that is not stays with the rest', () => {
  expect(consumePci([pool(1), pool(3, 1)], [ask(2)])).toEqual({ ok: true, pools: [pool(2, 1)] })
  expect(consumePci([pool(2)], [ask(2)])).toEqual({ ok: true, pools: [] })
})

test('preferred takes near devices before far ones, and legacy ones by their order', () => {
  const pools = [pool(1, 1), pool(1, 0), pool(1)]
  expect(consumePci(pools, [ask(3, { numaPolicy: 'preferred' })], cells(0)).pools).toEqual([])
  expect(consumePci(pools, [ask(1, { numaPolicy: 'preferred' })], cells(0)).pools).toEqual([pool(1, 1), pool(1)])
})

test('the devices of earlier requests stay allocated when a later request fails', () => {
  expect(consumePci([pool(2)], [ask(1), ask(5)])).toMatchObject({
    ok: false,
    pools: [pool(1)],
    why: { subject: 'request 1 (vendor 8086, product 1520)', need: 5, have: 1 },
  })
})

test('the arguments are not changed', () => {
  const pools = Object.freeze([Object.freeze(pool(2)), Object.freeze(pool(1, 1))])
  consumePci(pools, [ask(3)])
  expect(pools).toEqual([pool(2), pool(1, 1)])
})

test('pools are read from their envelope: tags next to the rest, fewest keys first', () => {
  const wire = (count: number, tags: object) => ({
    'nova_object.name': 'PciDevicePool',
    'nova_object.data': { vendor_id: '8086', product_id: '1520', numa_node: 0, count, tags },
  })
  const list = { 'nova_object.name': 'PciDevicePoolList', 'nova_object.data': { objects: [wire(1, { a: 'b', c: null }), wire(2, {})] } }
  expect(readPciPools(list)).toEqual([
    { keys: { vendor_id: '8086', product_id: '1520', numa_node: 0 }, count: 2 },
    { keys: { vendor_id: '8086', product_id: '1520', numa_node: 0, a: 'b', c: null }, count: 1 },
  ])
  expect(readPciPools(null)).toEqual([])
})

test('pools from before there were envelopes are read too', () => {
  expect(readPciPools([{ vendor_id: '8086', product_id: '1520', count: 3, physical_network: 'p' }])).toEqual([
    { keys: { vendor_id: '8086', product_id: '1520', numa_node: null, physical_network: 'p' }, count: 3 },
  ])
})

test('requests are read from their envelope, a policy that is not set as none', () => {
  const request = { 'nova_object.data': { count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'a1' } }
  expect(readPciRequests({ 'nova_object.data': { requests: [request] } })).toEqual([
    { count: 1, spec: [{ vendor_id: '8086' }], numaPolicy: null, alias: 'a1' },
  ])
  expect([readPciRequests(null), readPciRequests({ 'nova_object.data': { requests: null } })]).toEqual([[], []])
})

test('invalid pools are refused with their path', () => {
  expect(() => readPciPools([{ count: 'x' }])).toThrow('pci_device_pools[0].count is "x"; it must be a whole number')
})
