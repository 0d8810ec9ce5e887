import { describe, expect, it } from 'vitest'
import { createFleetStore } from '../fleet-store.ts'
import { readSort } from '../search.ts'
import { packHosts } from '../testing/packed-hosts.ts'
import { orderByName, orderHosts } from './order-hosts.ts'

const store = createFleetStore()
store.apply(
  packHosts([
    { ordinal: 0, name: 'c', az: 'z2', memFreeMib: 5, reportedAt: 10, reported: { 'hypervisor.version': '10000000', 'cpu.model': 'B' } },
    { ordinal: 7, name: 'a', az: 'z1', memFreeMib: 9, reportedAt: 30, reported: { 'hypervisor.version': '8002000', 'cpu.model': 'C' } },
    { ordinal: 3, name: 'b', az: 'z1', memFreeMib: 5, reportedAt: 20 },
  ]),
)

describe('order of hosts', () => {
  it.each([
    ['by name', 'host', 'abc'],
    ['by name, last first', '-host', 'cba'],
    ['by name; further fields have no effect', 'host,-mem.free', 'abc'],
    ['by a number, hosts with equal numbers by name', 'mem.free', 'bca'],
    ['by a number, the largest first, hosts with equal numbers still by name', '-mem.free', 'abc'],
    ['by a text, in alphabetical order', 'az', 'abc'],
    ['by a text, last first', '-az', 'cab'],
    ['by age: the latest report first', 'age', 'abc'],
    ['by age: the oldest report first', '-age', 'cba'],
    ['by zone, the most free memory of each first', 'az,-mem.free', 'abc'],
    ['by memory, hosts with equal memory by zone, the last zone first', 'mem.free,-az', 'cba'],
    ['by a number that hosts report, hosts without the number first', 'hypervisor.version', 'bac'],
    ['by a number that hosts report, largest first', '-hypervisor.version', 'cab'],
    ['by a text that hosts report, hosts without the text first', 'cpu.model', 'bca'],
    ['by memory, hosts with equal memory by name, the last name first', '-mem.free,-host', 'acb'],
  ])('%s', (_name, sort, names) => {
    expect([...orderHosts(store, orderByName(store), readSort(sort))].map(store.nameOf).join('')).toBe(names)
  })
})
