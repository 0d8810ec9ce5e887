import {
  type Change,
  checkpointOf,
  ENTRY_FORMAT,
  FEATURE_LEVEL,
  Fleet,
  type GroupBinding,
  type LogEntry,
  restoreFleet,
} from '@gantt/scheduler-core'
import { aClaim, aLog, aMove, aReport, aUuid, forgetMovedUnits } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { digestOfFleet, digestOfModel } from '../digest.ts'
import { findingsOfFleet, findingsOfModel } from '../findings.ts'
import { isLive } from './claim.ts'
import { type Draft, FOLLOWS_MS, HOSTS, HOUR_MS, type Log, pick, toChange } from './drafts.suite.ts'
import type { ModelEntry } from './entry.ts'
import { ReferenceModel } from './reference-model.ts'

interface Step {
  readonly drafts: readonly Draft[]
  readonly basis: 'head' | 'older' | 'alien'
  /** Whether the entry has the id of an earlier entry. */
  readonly repeats: boolean
  /** The store's clock advances by this many milliseconds before the entry. Can be negative. */
  readonly passMs: number
}

/** Appends the next entry. Core and model must give the same verdicts for its changes and have the same state afterwards. */
class Append implements fc.Command<ReferenceModel, Log> {
  readonly step: Step

  constructor(step: Step) {
    this.step = step
  }

  check = () => true

  run(model: ReferenceModel, { fleet, entries, spoil }: Log): void {
    const { drafts, basis, repeats, passMs } = this.step
    const last = entries.at(-1)
    const earlier = pick(entries, passMs)
    const place = basis === 'older' ? earlier : last
    const entry: LogEntry = {
      format: ENTRY_FORMAT,
      id: repeats && earlier ? earlier.id : `e${entries.length + 1}`,
      writer: 'test',
      revision: entries.length + 1,
      at: (last?.at ?? 1_000_000) + passMs,
      basis: {
        revision: place?.revision ?? 0,
        id: basis === 'alien' ? 'of another log' : (place?.id ?? ''),
        at: place?.at ?? 0,
      },
      changes: drafts.map((draft) => toChange(draft, model)),
    }
    entries.push(entry)
    const verdicts = fleet.apply(entry)
    spoil?.(fleet)
    expect(verdicts).toEqual(model.apply(JSON.parse(JSON.stringify(entry)) as ModelEntry))
    expect(digestOfFleet(fleet)).toBe(digestOfModel(model))
    expect(findingsOfFleet(fleet, FOLLOWS_MS)).toBe(findingsOfModel(model, FOLLOWS_MS))
    for (const { id, group } of model.claims.filter(isLive))
      if (group !== null && model.group(group) === undefined) throw new Error(`claim ${id} is in group ${group}, which is forgotten`)
  }

  toString(): string {
    return JSON.stringify(this.step)
  }
}

/** Restarts the replica from a checkpoint of its present state. */
class Restart implements fc.Command<ReferenceModel, Log> {
  check = () => true

  run(model: ReferenceModel, log: Log): void {
    log.fleet = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet))))
    expect(digestOfFleet(log.fleet)).toBe(digestOfModel(model))
    expect(findingsOfFleet(log.fleet, FOLLOWS_MS)).toBe(findingsOfModel(model, FOLLOWS_MS))
  }

  toString = () => 'restart'
}

/** The relative frequency of each kind of change. */
const weights: Partial<Record<Change['type'], number>> = {
  ...{ claims: 8, move: 6, report: 6, confirm: 4, extend: 2, release: 2, revoke: 2, expire: 2, abandon: 2 },
  ...{
    status: 2,
    liveness: 2,
    group: 2,
    membership: 2,
    aggregate: 2,
    usedFrom: 2,
    hostAllocation: 2,
    fleetAllocation: 2,
    forget: 1,
    readmit: 2,
    replace: 1,
    feature: 2,
  },
}
const types = Object.entries(weights).flatMap(([type, weight]) => new Array<Change['type']>(weight).fill(type as Change['type']))
export const number = fc.nat({ max: 99 })
const drafts = fc.array(fc.record({ type: fc.constantFrom(...types), a: number, b: number, c: number }), { minLength: 1, maxLength: 4 })
const steps = fc.record({
  drafts,
  basis: fc.oneof(
    { weight: 12, arbitrary: fc.constant('head' as const) },
    { weight: 4, arbitrary: fc.constant('older' as const) },
    { weight: 1, arbitrary: fc.constant('alien' as const) },
  ),
  repeats: fc.nat({ max: 12 }).map((one) => one === 12),
  passMs: fc.oneof({ weight: 8, arbitrary: fc.nat({ max: 3_000 }) }, { weight: 1, arbitrary: fc.constantFrom(-HOUR_MS, HOUR_MS, 5_000) }),
})

const reports = HOSTS.map((_, i): Draft => ({ type: 'report', a: i, b: 1, c: 0 }))

const commands: fc.Arbitrary<fc.Command<ReferenceModel, Log>>[] = [
  ...new Array(30).fill(steps.map((step) => new Append(step))),
  fc.constant(new Restart()),
]

/** Compares core and model on random logs, some of which start at an old feature level. `spoil` changes the fleet after each entry. */
const judgesAlike = (spoil: (fleet: Fleet) => void = () => undefined) =>
  fc.property(fc.boolean(), fc.commands(commands, { maxCommands: 60, size: 'max' }), (isNew, history) => {
    fc.modelRun(() => {
      const begun = { model: new ReferenceModel(), real: { fleet: new Fleet(), entries: [] as LogEntry[], spoil } }
      const append = (first: Draft[]) =>
        new Append({ drafts: first, basis: 'head', repeats: false, passMs: 0 }).run(begun.model, begun.real)
      if (isNew) append([{ type: 'feature', a: FEATURE_LEVEL - 2, b: 0, c: 0 }])
      append(reports)
      return begun
    }, history)
  })

test('core and reference model give the same verdicts for every log and reach the same state', () => {
  fc.assert(judgesAlike(), { numRuns: byExtent(15, 100, 20_000) })
})

test('the comparison detects a claim that holds nothing because its host uses the GPU that the claim names', () => {
  expect(
    fc.check(
      judgesAlike((fleet) => forgetMovedUnits(fleet, ['GPU'])),
      { numRuns: 500, endOnFailure: true },
    ).failed,
  ).toBe(true)
})

test('a change whose basis is older than the remembered positions is void', () => {
  const model = new ReferenceModel()
  const log: Log = { fleet: new Fleet(), entries: [] }
  const append = (step: Partial<Step>) => new Append({ drafts: [], basis: 'head', repeats: false, passMs: 0, ...step }).run(model, log)
  append({ drafts: reports })
  for (let i = 0; i < 1_022; i++) append({})
  // The proposal was decided at the position of the first entry, because the step has `older` as `basis`, and `passMs` is the index of the
  // entry.
  append({ drafts: [{ type: 'claims', a: 0, b: 1, c: 0 }], basis: 'older' })
  expect(model.claims).toHaveLength(1)
  append({})
  append({ drafts: [{ type: 'claims', a: 1, b: 2, c: 0 }], basis: 'older' })
  expect(model.claims).toHaveLength(1)
})

test('in core and model, a claim that would keep two groups apart is void if they share a host, and otherwise the rule is enforced', () => {
  const { append } = inBoth()
  const member = (key: string, host: string, uuid: number, ...apartFrom: readonly number[]) =>
    aClaim({
      ...{ key, hosts: [host], grants: { classes: { VCPU: 1 } } },
      group: {
        ...{ uuid: aUuid(uuid), policy: 'SOFT_AFFINITY', maxServerPerHost: null },
        ...(apartFrom.length > 0 && { apartFrom: apartFrom.map(aUuid) }),
      },
    })
  append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1'), aReport('h2')])
  append([member('a', 'h1', 1), member('b', 'h1', 2)])
  expect(append([member('c', 'h2', 1, 2)])).toEqual(['claim.group_mismatch'])
  expect(append([member('d', 'h2', 1, 3), member('e', 'h2', 3), member('f', 'h1', 3, 2)])).toEqual([
    undefined,
    'claim.group_rule',
    'claim.group_rule',
  ])
})

test('a move whose request names another group than its claim, or none, is judged alike in core and model, and another group is void', () => {
  const group: GroupBinding = { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 }
  const { append, log } = inBoth()
  const fenceOf = (id: string): number => log.fleet.ledger.claims.get(id)?.fence ?? 0
  append([aReport('h1')])
  append([aClaim({ key: 'a', instances: [aUuid(1)] })])
  const source = { claim: 'a.0', fence: fenceOf('a.0') }
  expect(append([aMove({ key: 'm', source, instances: [aUuid(1)], intent: 'RESIZE', group })])).toEqual(['claim.group_mismatch'])
  expect(append([aClaim({ key: 'b', instances: [aUuid(2)], group })])).toEqual([undefined])
  const ofGroup = { claim: 'b.0', fence: fenceOf('b.0') }
  const move = (key: string, more: object) => aMove({ key, source: ofGroup, instances: [aUuid(2)], intent: 'RESIZE', ...more })
  expect(append([move('n', { group: { ...group, uuid: aUuid(0x62) } })])).toEqual(['claim.group_mismatch'])
  expect(append([move('o', {})])).toEqual(['claim.group_mismatch'])
  expect(append([move('p', { group })])).toEqual([undefined])
})

test('in core and model, reservations end in the order of expiry, and by no more than the figures of their host rose', () => {
  const { append, log } = inBoth()
  let sequence = 0
  const report = (vcpusUsed: number, runningVms: number) =>
    append([aReport('h1', { vcpus: 16, vcpusUsed, memoryMbUsed: 1_024 * vcpusUsed, runningVms, instances: null }, ++sequence)])
  const reserve = (key: string, VCPU: number, ttlMs: number) =>
    append([aClaim({ key, ids: [key], grants: { classes: { VCPU, MEMORY_MB: 1_024 * VCPU } }, ttlMs, untilCounted: true })])
  const live = () => [...log.fleet.ledger.claims.values()].filter(({ state }) => state === 'RESERVED').map(({ id }) => id)
  append([{ type: 'feature', level: FEATURE_LEVEL }])
  report(0, 0)
  reserve('last', 1, 90_000)
  reserve('first', 1, 30_000)
  reserve('large', 4, 60_000)
  report(1, 1)
  expect(live()).toEqual(['last', 'large'])
  report(2, 2)
  expect(live(), 'the rise does not cover the next one').toEqual(['last', 'large'])
  report(6, 3)
  expect(live()).toEqual(['last'])
  append([aClaim({ key: 'confirmed', ids: ['confirmed'], grants: { classes: { VCPU: 1 } }, mode: 'CONFIRM' })])
  report(8, 4)
  expect(live(), 'another claim may have caused the rise').toEqual(['last'])
})

test('an ended claim is kept until a report no longer lists its instance', () => {
  const model = new ReferenceModel()
  const log: Log = { fleet: new Fleet(), entries: [] }
  const append = (step: Partial<Step>) => new Append({ drafts: [], basis: 'head', repeats: false, passMs: 0, ...step }).run(model, log)
  const revoke: Draft = { type: 'revoke', a: 0, b: 0, c: 0 }
  append({ drafts: reports })
  append({ drafts: [{ type: 'claims', a: 0, b: 1, c: 0 }] })
  // With b = 32 the report lists the instance. With b = 15, below, the report does not list it.
  append({ drafts: [{ type: 'report', a: 0, b: 32, c: 0 }] })
  append({ drafts: [revoke] })
  append({ passMs: HOUR_MS })
  expect(model.claims).toMatchObject([{ state: 'REVOKED', lingers: true }])
  append({ drafts: [revoke, { type: 'report', a: 0, b: 15, c: 0 }, revoke] })
  expect(model.claims).toEqual([])
})

/**
 * Creates a log of the core and a model. `append` appends changes to both of them. Both must give the same verdicts and have the same state
 * afterwards.
 */
function inBoth() {
  const log = aLog()
  const model = new ReferenceModel()
  const append = (changes: readonly Change[]) => {
    const verdicts = log.append(changes)
    expect(model.apply(log.entries.at(-1) as LogEntry)).toEqual(verdicts)
    expect(digestOfModel(model)).toBe(digestOfFleet(log.fleet))
    return verdicts
  }
  return { append, log }
}
