import { describe, expect, it } from 'vitest'
import { createFleetStore } from './fleet-store.ts'
import { orderByName, orderHosts } from './order-hosts.ts'
import { packHosts } from './testing/packed-hosts.ts'

const store = createFleetStore()
store.apply(
  packHosts([
    { ordinal: 0, name: 'c', az: 'z2', memFreeMib: 5, reportedAt: 10 },
    { ordinal: 7, name: 'a', az: 'z1', memFreeMib: 9, reportedAt: 30 },
    { ordinal: 3, name: 'b', az: 'z1', memFreeMib: 5, reportedAt: 20 },
  ]),
)

describe('order of hosts', () => {
  it.each([
    ['by name', 'host', false, 'abc'],
    ['by name, last first', 'host', true, 'cba'],
    ['by a number, equals by name', 'mem.free', false, 'bca'],
    ['by a number, largest first, equals by name still', 'mem.free', true, 'abc'],
    ['by a text, whatever came first', 'az', false, 'abc'],
    ['by a text, last first', 'az', true, 'cab'],
    ['by age: the latest report first', 'age', false, 'abc'],
    ['by age: the oldest report first', 'age', true, 'cba'],
  ] as const)('%s', (_name, field, descending, names) => {
    expect([...orderHosts(store, orderByName(store), field, descending)].map(store.nameOf).join('')).toBe(names)
  })
})
