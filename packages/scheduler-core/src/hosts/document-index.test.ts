import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { copyFleet } from '../fleet/copy.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Change, ENTRY_FORMAT } from '../records/change.ts'
import { aDocument, aLog, aReport, aUuid } from '../testing/index.ts'
import type { HostRecord } from './hosts.ts'

const PORTS = [aUuid(1), aUuid(2), aUuid(3)]
const HOSTS = ['h0', 'h1', 'h2', 'h3']
const NAMESPACES = ['network', 'of-a-plugin']

/** The expected result of `hasDocuments`, computed by a search through all hosts. */
const isAnyIn = ({ hosts }: Fleet, namespace: string): boolean => hosts.present.some(({ namespaces }) => namespaces.has(namespace))

/** The expected result of `youngest`, computed by a search through all documents. */
function youngestOf({ hosts }: Fleet, port: string): number | undefined {
  let found: HostRecord | undefined
  const timeOf = ({ namespaces }: HostRecord): number => namespaces.get('network')?.reportedAt ?? -1
  for (const record of hosts.records) {
    if (!JSON.stringify(record.namespaces.get('network') ?? '').includes(port)) continue
    if (found === undefined || timeOf(record) > timeOf(found)) found = record
  }
  return found?.index
}

test('after any reports, removals, copies and restarts, the index knows whether there are documents and finds the youngest about a port', () => {
  const step = fc.record({
    what: fc.constantFrom('document', 'document', 'document', 'of-a-plugin', 'copy', 'restore', 'forget', 'replace'),
    host: fc.constantFrom(...HOSTS),
    to: fc.constantFrom(...HOSTS, 'h9'),
    ports: fc.subarray(PORTS),
    wait: fc.constantFrom(0, 0, 1),
  })
  const several = { found: 0 }
  const met = { some: 0, none: 0 }
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.constantFrom(4, 9), (steps, level) => {
      let { fleet } = aLog()
      let at = 1_000
      const append = (...changes: Change[]): void => {
        const revision = fleet.place.revision + 1
        fleet.apply({ format: ENTRY_FORMAT, id: `e${revision}`, writer: 'test', basis: fleet.place, revision, at, changes })
      }
      append({ type: 'feature', level }, ...HOSTS.map((host) => aReport(host)))
      for (const [i, { what, host, to, ports, wait }] of steps.entries()) {
        at += wait
        const name = { host, node: host }
        if (what === 'copy') fleet = copyFleet(fleet)
        else if (what === 'restore') fleet = restoreFleet(checkpointOf(fleet))
        else if (what === 'forget') append({ type: 'forget', hosts: [name], isForced: true, reason: 'scrapped' })
        else if (what === 'replace') append({ type: 'replace', hosts: [{ from: name, to: { host: to, node: to } }], reason: 'renamed' })
        else if (what === 'of-a-plugin')
          append({ type: 'readmit', ...name, reason: 'back' }, aReport(host, {}, i + 2), aDocument(host, what, { a: i }, i + 1))
        else {
          const document = { physicalNetworks: [], ports: ports.map((uuid) => ({ uuid, physicalNetwork: 'n' })) }
          append({ type: 'readmit', ...name, reason: 'back' }, aReport(host, {}, i + 2), aDocument(host, 'network', document, i + 1))
        }
        for (const namespace of NAMESPACES) {
          expect(fleet.hosts.hasDocuments(namespace)).toBe(isAnyIn(fleet, namespace))
          met[isAnyIn(fleet, namespace) ? 'some' : 'none']++
        }
        const reporters = fleet.hosts.documentIndexOf('network')
        for (const port of PORTS) {
          expect(reporters.youngest(port)).toBe(youngestOf(fleet, port))
          if (reporters.of(port).length > 1) several.found++
        }
      }
    }),
  )
  expect(several.found).toBeGreaterThan(0)
  expect(Math.min(met.some, met.none)).toBeGreaterThan(0)
})
