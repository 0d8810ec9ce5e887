import { describe, expect, it } from 'vitest'
import { createFleetStore, type FleetStore } from './fleet-store.ts'
import { packHosts } from './testing/packed-hosts.ts'

const traitsOf = (store: FleetStore, ordinal: number) => store.sets('TRAITS').texts[store.codes('TRAITS')[ordinal] ?? -1]
const zoneOf = (store: FleetStore, ordinal: number) => store.dictionary('AZ').values[store.codes('AZ')[ordinal] ?? -1]

describe('the fleet as columns', () => {
  it('the store reads packed columns', () => {
    const store = createFleetStore()
    store.apply(
      packHosts([
        { ordinal: 0, name: 'a', az: 'az1', traits: ['T1', 'T2'], memFreeMib: 5 },
        { ordinal: 1, name: 'b', az: 'az2', traits: [], memFreeMib: -7, node: 'b/n2' },
      ]),
    )
    expect([...store.ordinals]).toEqual([0, 1])
    expect([store.nameOf(1), store.nodeOf(0), store.nodeOf(1)]).toEqual(['b', 'a', 'b/n2'])
    expect([zoneOf(store, 0), zoneOf(store, 1)]).toEqual(['az1', 'az2'])
    expect([traitsOf(store, 0), traitsOf(store, 1)]).toEqual([['T1', 'T2'], []])
    expect([...store.numbers('MEM_FREE_MIB').slice(0, 2)]).toEqual([5, -7])
  })

  it('the store computes the used share and the free amount of each host', () => {
    const store = createFleetStore()
    const used = () => [0, 1, 2].map((ordinal) => store.numbers('MEM_USED_PCT')[ordinal])
    store.apply(
      packHosts([
        { ordinal: 0, name: 'a', memFreeMib: 300, memUsed: 25 },
        { ordinal: 1, name: 'over-full', memUsed: 130 },
        { ordinal: 2, name: 'reports none' },
      ]),
    )
    expect(used()).toEqual([25, 130, 0])
    store.apply(packHosts([{ ordinal: 1, name: 'over-full', memUsed: 50 }]))
    expect(used()).toEqual([25, 50, 0])
  })

  it('the codes of an event, which has its own dictionaries, are converted to the codes of the store', () => {
    const store = createFleetStore()
    store.apply(
      packHosts([
        { ordinal: 0, name: 'a', az: 'az1', traits: ['T1', 'T2'] },
        { ordinal: 1, name: 'b', az: 'az2', traits: ['T3'] },
      ]),
    )
    // in the dictionaries of this event, the zone with code 0 is az2, and [T3, T9] is the only list of traits
    store.apply(packHosts([{ ordinal: 0, name: 'a', az: 'az2', traits: ['T3', 'T9'] }]))
    expect([zoneOf(store, 0), zoneOf(store, 1)]).toEqual(['az2', 'az2'])
    expect([traitsOf(store, 0), traitsOf(store, 1)]).toEqual([['T3', 'T9'], ['T3']])
  })

  it('the store detects an event of another history, in which an ordinal belongs to another host', () => {
    const store = createFleetStore()
    store.apply(packHosts([{ ordinal: 3, name: 'c' }]))
    expect(store.fits(packHosts([{ ordinal: 3, name: 'c', memFreeMib: 1 }]))).toBe(true)
    expect(store.fits(packHosts([{ ordinal: 4, name: 'new' }]))).toBe(true)
    expect(store.fits(packHosts([{ ordinal: 900, name: 'far beyond its present capacity' }]))).toBe(true)
    expect(
      store.fits(
        packHosts([
          { ordinal: 4, name: 'new' },
          { ordinal: 3, name: 'd' },
        ]),
      ),
    ).toBe(false)
  })

  it('the ordinals of an earlier store stay valid if hosts were added, removed or renamed, but not if another host has the ordinal', () => {
    const storeOf = (...hosts: Parameters<typeof packHosts>[0]) => {
      const store = createFleetStore()
      store.apply(packHosts(hosts))
      return store
    }
    const [a, b] = [
      { ordinal: 0, name: 'a' },
      { ordinal: 1, name: 'b' },
    ]
    expect(storeOf(a, b).hasOrdinalsOf(storeOf(a))).toBe(true)
    expect(storeOf(a).hasOrdinalsOf(storeOf())).toBe(true)
    expect(storeOf(a).hasOrdinalsOf(storeOf(a, b)), 'b left').toBe(true)
    expect(storeOf(a, { ...b, name: 'c', formerNames: ['b'] }).hasOrdinalsOf(storeOf(a, b)), 'b was renamed').toBe(true)
    expect(storeOf(a, { ...b, name: 'c', formerNames: ['d'] }).hasOrdinalsOf(storeOf(a, b)), 'another host').toBe(false)
    expect(storeOf({ ordinal: 0, name: 'b' }, { ordinal: 1, name: 'a' }).hasOrdinalsOf(storeOf(a, b))).toBe(false)
    expect(storeOf({ ...a, node: 'a/n2' }).hasOrdinalsOf(storeOf(a))).toBe(false)
  })

  it('the store removes a host that leaves, and adds it again when it returns', () => {
    const store = createFleetStore()
    const [a, b] = [
      { ordinal: 0, name: 'a', memFreeMib: 1 },
      { ordinal: 1, name: 'b', memFreeMib: 2 },
    ]
    store.apply(packHosts([a, b]))
    const before = store.namesVersion
    store.apply({ ...packHosts([]), left: [0, 7] })
    expect([...store.ordinals]).toEqual([1])
    expect([store.has(0), store.has(1)]).toEqual([false, true])
    expect(store.namesVersion).toBeGreaterThan(before)
    store.apply({ ...packHosts([{ ...a, memFreeMib: 9 }]), left: [] })
    expect([...store.ordinals]).toEqual([0, 1])
    expect([store.nameOf(0), store.numbers('MEM_FREE_MIB')[0]]).toEqual(['a', 9])
  })

  it('a replaced host has its new name, and is not treated as another host', () => {
    const store = createFleetStore()
    store.apply(packHosts([{ ordinal: 0, name: 'a', node: 'n1' }]))
    const before = store.namesVersion
    const renamed = packHosts([{ ordinal: 0, name: 'b', formerNames: ['a'] }])
    expect(store.fits(renamed)).toBe(true)
    expect(store.fits(packHosts([{ ordinal: 0, name: 'b' }]))).toBe(false)
    store.apply(renamed)
    expect([store.nameOf(0), store.nodeOf(0)]).toEqual(['b', 'b'])
    expect(store.namesVersion).toBeGreaterThan(before)
  })

  it('the store accepts more new hosts than its arrays have space for', () => {
    const store = createFleetStore()
    store.apply(packHosts([{ ordinal: 3, name: 'c', memFreeMib: 3 }]))
    const before = store.namesVersion
    store.apply(
      packHosts([
        { ordinal: 5_000, name: 'z', memFreeMib: 9 },
        { ordinal: 1, name: 'a', memFreeMib: 1 },
      ]),
    )
    expect([...store.ordinals]).toEqual([1, 3, 5_000])
    expect([1, 3, 5_000].map((ordinal) => store.numbers('MEM_FREE_MIB')[ordinal])).toEqual([1, 3, 9])
    expect(store.namesVersion).toBeGreaterThan(before)
  })

  it('an event changes only its own hosts', () => {
    const store = createFleetStore()
    store.apply(
      packHosts([
        { ordinal: 0, name: 'a', memFreeMib: 1 },
        { ordinal: 1, name: 'b', memFreeMib: 2 },
      ]),
    )
    const before = store.namesVersion
    store.apply(packHosts([{ ordinal: 1, name: 'b', memFreeMib: 20 }]))
    expect([...store.numbers('MEM_FREE_MIB').slice(0, 2)]).toEqual([1, 20])
    expect(store.namesVersion).toBe(before)
  })

  it('the store accepts an empty fleet', () => {
    const store = createFleetStore()
    store.apply(packHosts([]))
    expect([...store.ordinals]).toEqual([])
  })
})

it('the store finds the names of hosts with several nodes, including a node with the name of its host', () => {
  const store = createFleetStore()
  const others = () => [0, 1, 2].map((ordinal) => store.hasOtherNodes(ordinal))
  store.apply(
    packHosts([
      { ordinal: 0, name: 'rack' },
      { ordinal: 1, name: 'alone' },
    ]),
  )
  expect(others()).toEqual([false, false, false])
  store.apply(packHosts([{ ordinal: 2, name: 'rack', node: 'n2' }]))
  expect(others()).toEqual([true, false, true])
  store.apply({ ...packHosts([]), left: [2] })
  expect(others()).toEqual([false, false, false])
})
