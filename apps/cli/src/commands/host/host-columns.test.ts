import { hostFields } from '@gantt/scheduler-core/query'
import { expect, test } from 'vitest'
import { columnsFrom, columnsOf, defaultColumns, type ListedHost } from './host-columns.ts'

const usage = (resourceClass: string, capacity: number, free: number) => ({
  ...{ resourceClass, capacity, free, total: capacity, reserved: 0, allocationRatio: 1, used: capacity - free, claimed: 0 },
})

const reported = [{ field: 'cpu.model', value: 'EPYC Milan' }]

const host: ListedHost = {
  ...{ name: 'cmp-1', node: 'node-1', hasOtherNodes: false, availabilityZone: 'z1', status: 'DISABLED', state: 'DOWN' },
  lastReportAt: '2026-11-22T09:00:00Z',
  capacity: [usage('VCPU', 16, 4), usage('MEMORY_MB', 65_536, 16_384)],
  claims: { totalCount: 2 },
  aggregates: { totalCount: 3, nodes: [{ name: 'ssd' }, { name: 'rack 12' }] },
  ...{ traits: ['AVX'], runningVms: 3, gpus: [{ freeMilli: 1_000 }, { freeMilli: 500 }] },
  told: reported,
}

test("every field of a host can be a column, and the column shows the host's value", () => {
  const columns = columnsOf(hostFields.map(({ name }) => name))
  const now = Date.parse('2026-11-22T09:05:00Z')
  expect(Object.fromEntries(columns.map(({ cell }, i) => [hostFields[i]?.name, cell(host, now)]))).toMatchObject({
    host: 'cmp-1/node-1',
    node: 'node-1',
    az: 'z1',
    agg: 'ssd, rack 12 and 1 more',
    state: 'DOWN',
    status: 'DOWN DISABLED',
    trait: 'AVX',
    'cpu.free': '4/16',
    'cpu.total': '16',
    'cpu.used': '75 %',
    'mem.free': '16/64 GiB',
    'mem.total': '64 GiB',
    'mem.used': '75 %',
    'disk.free': '-',
    'disk.total': '-',
    'gpu.count': '2',
    'gpu.free': '1.5',
    claims: '2',
    instances: '3',
    age: '5m',
    'cpu.model': 'EPYC Milan',
    'cpu.vendor': '-',
  })
})

test('a list without --columns shows the default columns', () => {
  expect(columnsOf(defaultColumns).map(({ column }) => column.head)).toEqual([
    ...['name', 'zone', 'status', 'vcpu', 'memory', 'disk', 'claims', 'age'],
  ])
})

test('--columns lists the fields in the given order, ignores repeated ones and refuses unknown ones', () => {
  expect(columnsFrom('mem.used,host,mem.used')).toEqual(['mem.used', 'host'])
  expect(() => columnsFrom('host,colour')).toThrow('Hosts have no field "colour"; they have host, node, az, ')
  expect(() => columnsFrom(',')).toThrow('It must name a field.')
})
