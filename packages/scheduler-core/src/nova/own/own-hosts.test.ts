import fc from 'fast-check'
import { expect, test } from 'vitest'
import { copyFleet } from '../../fleet/copy.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { Historian, histories } from '../../fleet/history.suite.ts'
import { aFleet, aUuid } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { MAX_IMAGE_CPUS, ownHostsOf } from './own-hosts.ts'

/** The values of all properties of all hosts, as Nova's rules read them. */
function readAll(fleet: Fleet): unknown {
  const hostOf = ownHostsOf(fleet)
  return fleet.hosts.records.map(({ index }) => {
    const host = hostOf(index)
    const properties = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(host))
    const names = Object.keys(properties).filter((name) => properties[name]?.get !== undefined)
    return Object.fromEntries(names.map((name) => [name, Reflect.get(host, name)]))
  })
}

test("Nova's rules read the current state of a host, and on a copy of the fleet the state of the copy", () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) {
        const copy = copyFleet(fleet)
        const before = structuredClone(readAll(copy))
        fleet.apply(historian.next(fleet, step))
        // A new copy has no cached values, so this comparison finds outdated caches.
        expect(readAll(fleet)).toEqual(readAll(copyFleet(fleet)))
        expect(readAll(copy)).toEqual(before)
      }
    }),
    { seed: 1, numRuns: 20 },
  )
})

test('the images of the instances of a host are read until their CPU lists have 1,048,576 CPUs', () => {
  const images = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [aUuid(i + 1), { 'hw_numa_cpus.0': '0-65535' }]))
  const fleet = aFleet({ h1: { nova: { computeNode: {}, service: null, cellUuid: null, flavors: {}, images } } })
  expect(ownHostsOf(fleet)(0 as HostIndex).instanceImages?.size).toBe(MAX_IMAGE_CPUS / 65_536)
})
