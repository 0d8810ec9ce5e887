import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { classColumnNames } from '../hosts/columns.ts'
import { isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'
import { Fleet } from './fleet.ts'
import { Historian, histories } from './history.suite.ts'
import { openOverlay } from './overlay.ts'

/** Everything about a present host that filters and weighers can read, as text. */
function stateOf({ hosts, aggregates }: Fleet, index: HostIndex): string {
  const { host, node, stats, zone, gone, claims, present, gpus, cells, aggregates: of } = hosts.get(index)
  if (gone !== null) return 'has left the fleet'
  const columns = Object.entries(hosts.columns).flatMap(([name, column]) =>
    name === 'version' || name === 'lastEdit' ? [] : [column[index]],
  )
  const classes = [...hosts.classes.keys()].flatMap((name) => {
    const one = hosts.classColumns(name)
    const row = classColumnNames.map((column) => one[column][index])
    // a class that no host uses any more has no columns
    return row.some((value) => value !== 0) ? [[name, ...row]] : []
  })
  const live = [...claims].filter(isLive).map(({ id, instance, grants }) => [id, instance, grants])
  const metadata = aggregates.of(host).map(({ uuid, name, metadata: data }) => [uuid, name, data])
  return JSON.stringify([host, node, stats, zone, [...of], live, [...present], gpus, cells, columns, classes, metadata])
}

test('every host that an entry of the log changes is in the feed of changes', () => {
  const seen = new Map<string, number>()
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      const states = () => Array.from({ length: fleet.hosts.count }, (_, index) => stateOf(fleet, index as HostIndex))
      let before = states()
      for (const step of steps) {
        const { changes } = fleet.hosts
        const from = changes.count
        const entry = historian.next(fleet, step)
        fleet.apply(entry)
        const named = new Set<number>()
        changes.eachAfter(from, (host) => named.add(host))
        const after = states()
        for (const [index, state] of after.entries()) {
          if (state === before[index]) continue
          for (const { type } of entry.changes) seen.set(type, (seen.get(type) ?? 0) + 1)
          expect([...named], `${entry.changes.map(({ type }) => type).join(', ')}: ${before[index]} -> ${state}`).toContain(index)
        }
        before = after
      }
    }),
    { seed: 34, numRuns: byExtent(60, 1_500) },
  )
  const types = ['claims', 'move', 'confirm', 'release', 'revoke', 'expire', 'report', 'status', 'liveness', 'aggregate', 'forget']
  expect(types.filter((type) => !seen.has(type))).toEqual([])
})

test('a host whose resources an overlay holds and gives back is in the feed of changes both times', () => {
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const record = fleet.hosts.present[0]
      if (record === undefined) return
      const { changes } = fleet.hosts
      const countOf = (from: number): number => {
        let count = 0
        changes.eachAfter(from, (host) => {
          if (host === record.index) count++
        })
        return count
      }
      const overlay = openOverlay(fleet)
      const from = changes.count
      overlay.hold({ claim: 'x', instance: null, host: record.host, node: record.node, grants: { classes: { VCPU: 1 } } }, null)
      expect(countOf(from)).toBeGreaterThan(0)
      const held = changes.count
      overlay.discard()
      expect(countOf(held)).toBeGreaterThan(0)
    }),
    { seed: 35, numRuns: byExtent(10, 100) },
  )
})
