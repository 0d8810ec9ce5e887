import fc from 'fast-check'
import { expect, test } from 'vitest'
import { draws } from '../../../../../testing/extent.ts'
import { copyFleet } from '../../fleet/copy.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { ratioOf, reservedOf } from '../../hosts/allocation.ts'
import { at } from '../../hosts/columns.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../../records/change.ts'
import type { Profile } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { atOnce } from '../../values/steps.ts'
import { append } from '../apply-edits.ts'
import type { FleetEdits } from '../edits.ts'
import { simulate } from '../simulate.ts'
import { whatWouldFit } from './what-would-fit.ts'

const GIB = 1_024
const isOver = () => false
const profiles = ['default', 'nova', 'nova-compat'].map((name) => builtInProfiles.find((known) => known.name === name) as Profile)
const ratio = fc.constantFrom(0.5, 1, 1.5, 2, 4)
const maybeRatio = fc.option(ratio)

const hosts = fc.array(
  fc.record({
    vcpus: fc.integer({ min: 1, max: 8 }),
    gib: fc.integer({ min: 1, max: 8 }),
    heldGib: fc.integer({ min: 0, max: 4 }),
    ownRatio: ratio,
    override: fc.record({ VCPU: maybeRatio, MEMORY_MB: maybeRatio }),
    ownReserve: fc.constantFrom(0, 0, 512),
    reserve: fc.record({ VCPU: fc.constantFrom(null, null, 2), MEMORY_MB: fc.constantFrom(null, 0, 256, 3 * GIB) }),
    isIn: fc.tuple(fc.boolean(), fc.boolean()),
  }),
  { minLength: 1, maxLength: 4 },
)
const aggregateRatios = fc.array(fc.record({ cpu: maybeRatio, ram: maybeRatio }), { minLength: 2, maxLength: 2 })
const request = fc
  .record({ vcpus: fc.integer({ min: 1, max: 24 }), gib: fc.integer({ min: 1, max: 24 }), numInstances: fc.constantFrom(1, 1, 2, 3) })
  .map(({ vcpus, gib, numInstances }) => aRequest({ vcpus, memoryMb: gib * GIB, numInstances }))

type Drawn<Value> = Value extends fc.Arbitrary<infer Of> ? Of : never

/** A fleet of the drawn nodes, two for each host, with the drawn ratios and reserved amounts from reports, aggregates and operators. */
function fleetOf(drawn: Drawn<typeof hosts>, aggregates: Drawn<typeof aggregateRatios>): Fleet {
  const named = drawn.map((one, i) => ({ ...one, host: `h${Math.floor(i / 2)}`, node: `n${i}` }))
  const log = aLog()
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    ...named.map(({ host, node, vcpus, gib, ownRatio, ownReserve }) => {
      const memory = { resourceClass: 'MEMORY_MB', total: gib * GIB, reserved: ownReserve, allocationRatio: ownRatio }
      const shape = { vcpus, memoryMb: gib * GIB, cpuAllocationRatio: ownRatio, ramAllocationRatio: ownRatio, inventories: [memory] }
      return Object.assign(aReport(host, shape), { node })
    }),
  ])
  for (const [i, { cpu, ram }] of aggregates.entries()) {
    const members = new Set(named.flatMap(({ host, isIn }) => (isIn[i] ? [host] : [])))
    const metadata = {
      ...(cpu !== null && { cpu_allocation_ratio: String(cpu) }),
      ...(ram !== null && { ram_allocation_ratio: String(ram) }),
    }
    log.append([{ type: 'aggregate', uuid: aUuid(i + 1), expectedVersion: 0, next: { name: `a${i}`, hosts: [...members], metadata } }])
  }
  for (const { host, node, heldGib, override, reserve } of named) {
    for (const [resourceClass, value] of Object.entries(reserve))
      if (value !== null) log.append([reserveOf({ host, node }, resourceClass, value)])
    for (const [resourceClass, value] of Object.entries(override))
      if (value !== null) log.append([overrideOf({ host, node }, resourceClass, value)])
    const claim = aClaim({ key: node, hosts: [host], grants: { classes: { MEMORY_MB: heldGib * GIB } }, mode: 'CONFIRM' })
    if (heldGib > 0) log.append([{ ...claim, parts: claim.parts.map((part) => ({ ...part, node })) }])
  }
  return log.fleet
}

/** The change that the mutation `hostSetAllocation` writes to the log. */
const overrideOf = ({ host, node }: Pick<HostRecord, 'host' | 'node'>, resourceClass: string, value: number): Change => ({
  type: 'hostAllocation',
  ...{ host, node, resourceClass, ratio: value, by: 'operator', reason: 'more of it' },
})

const reserveOf = ({ host, node }: Pick<HostRecord, 'host' | 'node'>, resourceClass: string, reserved: number): Change => ({
  type: 'hostAllocation',
  ...{ host, node, resourceClass, reserved, by: 'operator', reason: 'kept back' },
})

/** The fleet after an operator has made the edits of a proposal. */
function madeReal(fleet: Fleet, { ratios, reserves }: FleetEdits): Fleet {
  const own = copyFleet(fleet)
  const changes = [
    ...ratios.map(({ host, node, resourceClass, allocationRatio }) =>
      overrideOf({ host: String(host), node: String(node) }, resourceClass, allocationRatio),
    ),
    ...reserves.map(({ host, node, resourceClass, reserved }) => reserveOf({ host, node: String(node) }, resourceClass, reserved)),
  ]
  expect(append(own, changes)).toEqual(changes.map(() => undefined))
  return own
}

const fits = (fleet: Fleet, asked: RequestSpec, profile: Profile): boolean =>
  atOnce(simulate(fleet, { requests: [{ request: asked, count: 1 }], profile, seed: 's', isOver })).failed === 0

const freeOf = ({ hosts: { classes, present } }: Fleet) =>
  [...classes].flatMap(([resourceClass, { free }]) => present.map(({ index, node }) => ({ resourceClass, node, free: at(free, index) })))

test('if an operator sets a proposed ratio or reserve, the request fits, and no host has less free than before', () => {
  const met = { ratios: 0, reserves: 0 }
  fc.assert(
    fc.property(hosts, aggregateRatios, request, fc.constantFrom(...profiles), (drawn, aggregates, asked, profile) => {
      const fleet = fleetOf(drawn, aggregates)
      const options = { request: asked, profile, kinds: ['POLICY'] as const, isOver, seed: 's', maxChanges: 2, first: 10, minHosts: 1 }
      const before = freeOf(fleet)
      for (const { changes, edits, text, filters } of atOnce(whatWouldFit(fleet, { ...options, maxRuns: 100 })).counterfactuals) {
        if (edits.ratios.length + edits.reserves.length === 0) continue
        for (const kind of ['ratios', 'reserves'] as const) met[kind] += edits[kind].length
        const real = madeReal(fleet, edits)
        const decided = { ...profile, filters: filters ?? profile.filters }
        expect([text, fits(real, asked, decided)]).toEqual([text, true])
        for (const [i, { free, ...where }] of freeOf(real).entries())
          expect([text, where, free >= (before[i]?.free ?? 0)]).toEqual([text, where, true])
        for (const { from, edits: own } of changes)
          for (const { host, node, resourceClass } of own?.ratios ?? []) {
            const record = fleet.hosts.find({ host: String(host), node: String(node) }) as HostRecord
            expect(from).toBe(String(ratioOf(fleet.hosts, record, resourceClass).value))
          }
        for (const { from, edits: own } of changes)
          for (const { host, node, resourceClass, reserved } of own?.reserves ?? []) {
            const record = fleet.hosts.find({ host, node: String(node) }) as HostRecord
            const now = reservedOf(fleet.hosts, record, resourceClass)
            expect([text, now.source, from?.split(' ')[0]]).toEqual([text, 'HOST', String(now.value)])
            // the proposal must not go below the reserved amount in the host's report, which the host itself needs
            const ofReport = record.stats.inventories.find((one) => one.resourceClass === resourceClass)?.reserved ?? 0
            expect([text, reserved >= ofReport, reserved < now.value]).toEqual([text, true, true])
          }
      }
    }),
    draws(40, 300, 2_000),
  )
  for (const [kind, count] of Object.entries(met)) expect([kind, count > 0]).toEqual([kind, true])
})
