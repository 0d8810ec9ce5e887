import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { audit, digestAll, digestPart, partsOf } from '../audit/index.ts'
import { useOf } from '../hosts/columns.ts'
import { aClaim, aLog, aMove, aReport, aRequest, aUuid } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { checkpointOf } from './checkpoint.ts'
import { copyFleet, giveUpFleet } from './copy.ts'
import { Fleet } from './fleet.ts'
import { Historian, histories } from './history.suite.ts'
import { grantsOf } from './history-grants.suite.ts'
import { openOverlay } from './overlay.ts'

/** All observable state of a fleet: its digests, its checkpoint, and the data that neither the digests nor the checkpoint contain. */
const stateOf = (fleet: Fleet): string =>
  JSON.stringify([
    digestAll(Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part))),
    checkpointOf(fleet),
    [...fleet.ledger.lapsing.keys()],
    [...fleet.ledger.changed].map(({ id }) => id),
    [...fleet.hosts.columns.version.slice(0, fleet.hosts.count)],
    fleet.hosts.records.map(({ host }) => fleet.hosts.nodesOf(host)),
    [...fleet.groups.byUuid.values()].map(({ members }) => [...members]),
  ])

/** Opens an overlay, makes steps of every type on every host, and discards the overlay. */
function tryOverlay(fleet: Fleet, choice: number): void {
  const overlay = openOverlay(fleet)
  for (const { host, node, index } of fleet.hosts.records) {
    const grants = grantsOf(fleet, index, choice)
    if (grants !== undefined) overlay.hold({ host, node, grants, claim: 'hypothetical', instance: null }, null)
  }
  for (const claim of fleet.ledger.claims.values()) if (claim.state === 'CONFIRMED') overlay.lift(claim, aRequest(), true)
  overlay.discard()
}

/** The state of a fleet without the `version` columns, because an overlay increases versions even if it is discarded. */
const storedOf = (fleet: Fleet): string =>
  JSON.stringify([digestAll(Array.from({ length: partsOf(fleet) }, (_, part) => digestPart(fleet, part))), checkpointOf(fleet)])

/** Adds 100 hosts. The columns must grow for them. */
function grow(fleet: Fleet): void {
  const changes = Array.from({ length: 100 }, (_, i) => aReport(`more${i}`))
  const revision = fleet.place.revision + 1
  fleet.apply({ format: 1, id: 'grow', writer: 'test', basis: fleet.place, changes, revision, at: fleet.now })
}

const faultsOf = (fleet: Fleet) => [...audit(fleet)].flatMap(({ findings }) => findings)

test.each([1, 2, 3])('a copy and its original apply entries identically, and neither changes the other (seed %i)', (seed) => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 39 }), (steps, when) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      let copy: Fleet | undefined
      let before = ''
      const later = []
      for (const [i, step] of steps.entries()) {
        if (i === when % steps.length) {
          copy = copyFleet(fleet)
          before = stateOf(fleet)
          expect(stateOf(copy)).toBe(before)
        }
        const entry = historian.next(fleet, step)
        const verdicts = fleet.apply(entry)
        if (copy !== undefined) later.push({ entry, verdicts, state: stateOf(fleet) })
      }
      if (copy === undefined) return
      // the original has changed since the copy was made
      expect(stateOf(copy)).toBe(before)
      const end = stateOf(fleet)
      for (const { entry, verdicts, state } of later) {
        expect(copy.apply(entry)).toEqual(verdicts)
        expect(stateOf(copy)).toBe(state)
      }
      expect(stateOf(fleet)).toBe(end)
      expect(faultsOf(copy)).toEqual([])
    }),
    { seed, numRuns: byExtent(4, 40) },
  )
})

test.each([1, 2])('copies at any position, and copies of copies, do not change until they apply entries themselves (seed %i)', (seed) => {
  fc.assert(
    fc.property(histories, fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }), (steps, choices) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      const copies: { readonly copy: Fleet; readonly stored: string; readonly behind: number }[] = []
      const entries = []
      const states = [storedOf(fleet)]
      for (const [i, step] of steps.entries()) {
        const choice = choices[i % choices.length] as number
        if (choice === 0) copies.push({ copy: copyFleet(fleet), stored: storedOf(fleet), behind: i })
        const last = copies.at(-1)
        if (choice === 1 && last !== undefined) copies.push({ ...last, copy: copyFleet(last.copy) })
        if (choice === 2) tryOverlay(copies[i % Math.max(1, copies.length)]?.copy ?? fleet, i)
        const entry = historian.next(fleet, step)
        fleet.apply(entry)
        entries.push(entry)
        states.push(storedOf(fleet))
      }
      for (const { copy, stored } of copies) expect(storedOf(copy)).toBe(stored)
      // every second copy applies further entries, which must not change the remaining copies
      for (const [i, { copy, behind }] of copies.entries()) {
        if (i % 2 === 1) continue
        for (const entry of entries.slice(behind)) copy.apply(entry)
        expect(storedOf(copy)).toBe(states.at(-1))
        expect(faultsOf(copy)).toEqual([])
      }
      for (const [i, { copy, stored }] of copies.entries()) if (i % 2 === 1) expect(storedOf(copy)).toBe(stored)
      expect(storedOf(fleet)).toBe(states.at(-1))
      expect(faultsOf(fleet)).toEqual([])
    }),
    { seed, numRuns: byExtent(3, 25) },
  )
})

test('a copy that reuses the columns of any discarded fleet equals any other copy', () => {
  fc.assert(
    fc.property(histories, histories, fc.nat({ max: 2 }), (steps, others, more) => {
      const [fleet, spare] = [steps, others].map((each) => {
        const made = new Fleet()
        const historian = new Historian()
        made.apply(historian.first(made))
        for (const step of each) made.apply(historian.next(made, step))
        return made
      }) as [Fleet, Fleet]
      // the spare fleet has the same size as the fleet, is larger, or is itself a copy of the fleet
      if (more === 1) grow(spare)
      const of = copyFleet(fleet)
      const copy = copyFleet(fleet, giveUpFleet(more === 2 ? of : spare))
      expect(stateOf(copy)).toBe(stateOf(fleet))
      expect(faultsOf(copy)).toEqual([])
      expect(faultsOf(fleet)).toEqual([])
      if (more !== 2) expect(stateOf(of)).toBe(stateOf(fleet))
    }),
    { seed: 1, numRuns: byExtent(4, 40) },
  )
})

test('a fleet that gave up its memory has no hosts and empty columns', () => {
  const [log, other] = [aLog(), aLog()]
  for (const { append } of [log, other]) append([aReport('h1', { vcpus: 8 })])
  copyFleet(log.fleet, giveUpFleet(other.fleet))
  expect(() => other.fleet.hosts.get(0 as HostIndex)).toThrow(RangeError)
  expect(other.fleet.hosts.columns.status).toHaveLength(0)
  expect(other.fleet.hosts.classes.get('VCPU')?.free).toHaveLength(0)
  expect(other.fleet.hosts.classes.get('VCPU')?.used).toHaveLength(0)
})

test('entries that are applied to a copy or to its original do not change the other fleet', () => {
  fc.assert(
    fc.property(histories, histories, fc.boolean(), (steps, others, isOriginal) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const copy = copyFleet(fleet)
      const before = stateOf(fleet)
      const [moving, unchanged] = isOriginal ? [fleet, copy] : [copy, fleet]
      for (const step of others) moving.apply(historian.next(moving, step))
      expect(stateOf(unchanged)).toBe(before)
      expect(faultsOf(moving)).toEqual([])
    }),
    { seed: 1, numRuns: byExtent(4, 40) },
  )
})

test.each(['copy', 'original'] as const)('an overlay on the %s does not change the other fleet', (where) => {
  fc.assert(
    fc.property(histories, fc.nat({ max: 10 }), (steps, choice) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      const copy = copyFleet(fleet)
      const before = stateOf(fleet)
      const [moving, unchanged] = where === 'copy' ? [copy, fleet] : [fleet, copy]
      const overlay = openOverlay(moving)
      for (const { host, node, index } of moving.hosts.records) {
        const grants = grantsOf(moving, index, choice)
        if (grants !== undefined) overlay.hold({ host, node, grants, claim: 'hypothetical', instance: null }, null)
      }
      for (const claim of moving.ledger.claims.values()) if (claim.state === 'CONFIRMED') overlay.lift(claim, aRequest(), true)
      expect(stateOf(unchanged)).toBe(before)
      overlay.discard()
      expect(storedOf(moving)).toBe(storedOf(unchanged))
    }),
    { seed: 1, numRuns: byExtent(4, 40) },
  )
})

test('a fleet with an open overlay cannot be copied', () => {
  const fleet = new Fleet()
  openOverlay(fleet)
  expect(() => copyFleet(fleet)).toThrow('a fleet cannot be copied while an overlay is open')
})

test('a report that counts the growth of a claim changes the claim in the original and not in a copy', () => {
  const log = aLog()
  const grants = (VCPU: number) => ({ classes: { VCPU } })
  const [instance, host] = [aUuid(1), { vcpus: 8, vcpusUsed: 1, instances: [aUuid(1)] }]
  const fence = (claim: string) => log.fleet.ledger.claims.get(claim)?.fence ?? 0
  const verdicts = [
    log.append([aReport('h1', { vcpus: 8 })]),
    log.append([aClaim({ hosts: ['h1'], ids: ['c1'], instances: [instance], grants: grants(1), mode: 'CONFIRM' })]),
    log.append([aReport('h1', host, 2)]),
    log.append([
      aMove({
        key: 'k2',
        hosts: ['h1'],
        ids: ['c2'],
        instances: [instance],
        grants: grants(3),
        source: { claim: 'c1', fence: fence('c1') },
      }),
    ]),
    log.append([{ type: 'confirm', claim: 'c2', fence: fence('c2') }]),
  ]
  expect(verdicts.flat().filter((verdict) => verdict !== undefined)).toEqual([])
  const copy = copyFleet(log.fleet)
  const before = stateOf(copy)
  expect(log.append([aReport('h1', { ...host, vcpusUsed: 3 }, 3)])).toEqual([undefined])
  expect(log.fleet.ledger.claims.get('c2')?.extra).toBeNull()
  expect(copy.ledger.claims.get('c2')?.extra).toEqual(grants(2))
  expect(stateOf(copy)).toBe(before)
})

/** The buffers of the columns of a fleet. */
const memoryOf = ({ hosts }: Fleet): ReadonlySet<ArrayBufferLike> =>
  new Set([hosts.columns, ...Array.from(hosts.classes.values(), useOf)].flatMap((set) => Object.values(set)).map(({ buffer }) => buffer))

test('the columns of a copy are in one buffer, and a copy can reuse the buffer of a fleet of the same size', () => {
  const log = aLog()
  log.append([aReport('h1'), aReport('h2', { vcpus: 8 })])
  const first = copyFleet(log.fleet)
  expect(memoryOf(first).size).toBe(1)
  const [memory] = memoryOf(first)
  const before = stateOf(log.fleet)
  const second = copyFleet(log.fleet, giveUpFleet(first))
  expect([...memoryOf(second)]).toEqual([memory])
  expect(stateOf(second)).toBe(before)
  expect(first.hosts.columns.status).toHaveLength(0)
  grow(log.fleet)
  expect(memoryOf(copyFleet(log.fleet, giveUpFleet(second)))).not.toContain(memory)
})
