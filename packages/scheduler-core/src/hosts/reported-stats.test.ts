import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Change, ENTRY_FORMAT } from '../records/change.ts'
import { aLog, aReport } from '../testing/index.ts'

const NAMES = ['arch', 'group', 'num_vm_active']
const HOSTS = ['h0', 'h1', 'h2']

/** The expected result of `reportsStat`, computed by a search through all reports. */
const isReported = ({ hosts }: Fleet, name: string): boolean =>
  hosts.present.some(({ stats }) => JSON.stringify(stats.nova?.computeNode ?? '').includes(`"${name}"`))

const node = (names: readonly string[]) => ({
  'nova_object.name': 'ComputeNode',
  'nova_object.version': '1.19',
  'nova_object.data': { stats: Object.fromEntries(names.map((name) => [name, 'x'])) },
})

test('after any reports, removals, copies and restarts, the index of stats has exactly the names that hosts report', () => {
  const step = fc.record({
    what: fc.constantFrom('nova', 'nova', 'nova', 'own', 'copy', 'restore', 'forget', 'replace'),
    host: fc.constantFrom(...HOSTS),
    to: fc.constantFrom(...HOSTS, 'h9'),
    names: fc.subarray(NAMES),
  })
  const met = { reported: 0, not: 0 }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let { fleet } = aLog()
      let copied: { readonly from: Fleet; readonly reported: readonly boolean[] } | undefined
      const reportedBy = (of: Fleet) => NAMES.map((name) => of.hosts.reportsStat(name))
      const append = (...changes: Change[]): void => {
        const revision = fleet.place.revision + 1
        fleet.apply({ format: ENTRY_FORMAT, id: `e${revision}`, writer: 'test', basis: fleet.place, revision, at: 1_000, changes })
      }
      append({ type: 'feature', level: 9 }, ...HOSTS.map((host) => aReport(host)))
      for (const [i, { what, host, to, names }] of steps.entries()) {
        const name = { host, node: host }
        if (what === 'copy') {
          copied = { from: fleet, reported: reportedBy(fleet) }
          fleet = copyFleet(fleet)
        } else if (what === 'restore') fleet = restoreFleet(checkpointOf(fleet))
        else if (what === 'forget') append({ type: 'forget', hosts: [name], isForced: true, reason: 'scrapped' })
        else if (what === 'replace') append({ type: 'replace', hosts: [{ from: name, to: { host: to, node: to } }], reason: 'renamed' })
        else {
          const nova = what === 'own' ? null : { computeNode: node(names), service: null, cellUuid: null }
          append({ type: 'readmit', ...name, reason: 'back' }, aReport(host, { nova }, i + 2))
        }
        const reported = reportedBy(fleet)
        expect(reported).toEqual(NAMES.map((one) => isReported(fleet, one)))
        for (const is of reported) met[is ? 'reported' : 'not']++
        // changes of a copy do not change the original fleet
        if (copied !== undefined) expect(reportedBy(copied.from)).toEqual(copied.reported)
      }
    }),
  )
  expect(Math.min(met.reported, met.not)).toBeGreaterThan(0)
})
