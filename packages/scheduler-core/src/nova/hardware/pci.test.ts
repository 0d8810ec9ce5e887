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
  ['a pool with enough devices', [pool(2)], [ask(2)], undefined, undefined],
  [
    'a pool with one device too few',
    [pool(1)],
    [ask(2, { alias: 'a1' })],
    undefined,
    { code: 'pci.short', subject: 'a1 (vendor 8086, product 1520)', need: 2, have: 1 },
  ],
  ['devices of several pools are added up', [pool(1), pool(1, 1)], [ask(2)], undefined, undefined],
  [
    'a later request gets what the earlier ones left',
    [pool(2)],
    [ask(1), ask(2)],
    undefined,
    { code: 'pci.short', subject: 'request 1 (vendor 8086, product 1520)', need: 2, have: 1 },
  ],
  ['a host without pools', [], [ask(1)], undefined, { code: 'pci.not_reported', need: 1, have: 0 }],
  [
    'zero devices of a kind that no pool has are refused',
    [pool(2, null, { vendor_id: '10de' })],
    [ask(0)],
    undefined,
    { code: 'pci.unasked', need: 0, have: 0 },
  ],
  [
    'texts are equal whatever their case',
    [pool(1, null, { tag: 'PhysNet' })],
    [ask(1, { spec: [{ tag: 'physnet' }] })],
    undefined,
    undefined,
  ],
  ['a number never equals a text', [pool(1, 1)], [ask(1, { spec: [{ numa_node: '1' }] })], undefined, { code: 'pci.short' }],
  ['a key that the pool lacks counts as null', [pool(1)], [ask(1, { spec: [{ tag: null }] })], undefined, undefined],
  [
    'a list matches if the list of the pool contains it',
    [pool(1, null, { c: ['a', 'b'] })],
    [ask(1, { spec: [{ c: ['b'] }] })],
    undefined,
    undefined,
  ],
  [
    'one alternative of several is enough',
    [pool(1)],
    [ask(1, { spec: [{ vendor_id: 'x' }, { vendor_id: '8086' }] })],
    undefined,
    undefined,
  ],
  [
    'a physical function is not assigned unless it is requested',
    [pool(1, null, { dev_type: 'type-PF' })],
    [ask(1)],
    undefined,
    { code: 'pci.unasked', have: 0 },
  ],
  [
    'a physical function is assigned if it is requested',
    [pool(1, null, { dev_type: 'type-PF' })],
    [ask(1, { spec: [{ dev_type: 'type-PF' }] })],
    undefined,
    undefined,
  ],
  [
    'a vdpa device is not assigned unless it is requested',
    [pool(1, null, { dev_type: 'vdpa' })],
    [ask(1)],
    undefined,
    { code: 'pci.unasked' },
  ],
  [
    'a remote managed device is not assigned unless it is requested',
    [pool(1, null, { remote_managed: 'Yes' })],
    [ask(1)],
    undefined,
    { code: 'pci.unasked' },
  ],
  [
    'a remote managed device is assigned if it is requested',
    [pool(1, null, { remote_managed: 'true' })],
    [ask(1, { spec: [{ remote_managed: 'True' }] })],
    undefined,
    undefined,
  ],
  ['policy legacy accepts devices without a cell', [pool(1)], [ask(1)], cells(0), undefined],
  ['policy legacy refuses devices of another cell', [pool(1, 1)], [ask(1)], cells(0), { code: 'pci.numa', need: 1, have: 0 }],
  ['policy required refuses devices without a cell', [pool(1)], [ask(1, { numaPolicy: 'required' })], cells(0), { code: 'pci.numa' }],
  ['policy preferred accepts devices of any cell', [pool(1, 1)], [ask(1, { numaPolicy: 'preferred' })], cells(0), undefined],
  [
    'policy socket accepts devices of another cell on the same socket',
    [pool(1, 1)],
    [ask(1, { numaPolicy: 'socket' })],
    cells(0),
    undefined,
  ],
  ['policy socket refuses devices on another socket', [pool(1, 2)], [ask(1, { numaPolicy: 'socket' })], cells(0), { code: 'pci.numa' }],
  ['policy socket refuses devices without a cell', [pool(1)], [ask(1, { numaPolicy: 'socket' })], cells(0), { code: 'pci.numa' }],
  ['without chosen cells no policy applies', [pool(1, 1)], [ask(1, { numaPolicy: 'required' })], undefined, undefined],
]

test.each(rows)('%s', (_name, pools, requests, places, why) => {
  const found = supportPciRequests(pools, requests, places)
  if (why === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(why)
})

test('the policy socket refuses all devices if the socket of any host cell is unknown', () => {
  const places = {
    cells: [0],
    sockets: new Map([
      [0, 0],
      [1, null],
    ]),
  }
  expect(supportPciRequests([pool(1, 1)], [ask(1, { numaPolicy: 'socket' })], places)).toMatchObject({ code: 'pci.numa', have: 0 })
})

test('a pool without remaining devices is removed, and a partly used pool keeps its remaining devices', () => {
  expect(consumePci([pool(1), pool(3, 1)], [ask(2)])).toEqual({ ok: true, pools: [pool(2, 1)] })
  expect(consumePci([pool(2)], [ask(2)])).toEqual({ ok: true, pools: [] })
})

test('the policy preferred takes devices of near pools first', () => {
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

test('the given pools are not changed', () => {
  const pools = Object.freeze([Object.freeze(pool(2)), Object.freeze(pool(1, 1))])
  consumePci(pools, [ask(3)])
  expect(pools).toEqual([pool(2), pool(1, 1)])
})

test('pools are read from a versioned object, with tags as keys, and pools with fewer keys come first', () => {
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

test('pools are also read from plain dictionaries', () => {
  expect(readPciPools([{ vendor_id: '8086', product_id: '1520', count: 3, physical_network: 'p' }])).toEqual([
    { keys: { vendor_id: '8086', product_id: '1520', numa_node: null, physical_network: 'p' }, count: 3 },
  ])
})

test('device requests are read from a versioned object, and an unset policy is read as no policy', () => {
  const request = { 'nova_object.data': { count: 1, spec: [{ vendor_id: '8086' }], alias_name: 'a1' } }
  expect(readPciRequests({ 'nova_object.data': { requests: [request] } })).toEqual([
    { count: 1, spec: [{ vendor_id: '8086' }], numaPolicy: null, alias: 'a1' },
  ])
  expect([readPciRequests(null), readPciRequests({ 'nova_object.data': { requests: null } })]).toEqual([[], []])
})

test('the error for an invalid pool has the path of the wrong value', () => {
  expect(() => readPciPools([{ count: 'x' }])).toThrow('pci_device_pools[0].count is "x"; it must be a whole number')
})
