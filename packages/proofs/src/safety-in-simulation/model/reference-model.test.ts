import {
  ALLOCATION_RULES,
  type Change,
  checkpointOf,
  ENTRY_FORMAT,
  FEATURE_LEVEL,
  Fleet,
  type GroupBinding,
  type LogEntry,
  restoreFleet,
  STRICT_CLAIMS,
} from '@gantt/scheduler-core'
import { aClaim, aLog, aMove, aReport, aUuid, forgetMovedUnits } from '@gantt/scheduler-core/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { digestOfFleet, digestOfModel } from '../digest.ts'
import { findingsOfFleet, findingsOfModel } from '../findings.ts'
import { isLive } from './claim.ts'
import type { ModelEntry } from './entry.ts'
import { ReferenceModel } from './reference-model.ts'

/** Three report from the first on; hosts leave, and come under each other's names. */
const HOSTS = ['h1', 'h2', 'h3']
const GROUPS: readonly GroupBinding[] = [
  { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: null },
  { uuid: aUuid(0x62), policy: 'AFFINITY', maxServerPerHost: null },
  { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
  { uuid: aUuid(0x63), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null },
]
const GPUS = 3
const HOUR_MS = 3_600_000
/** After so long the world has to have followed the claims: a few entries. */
const FOLLOWS_MS = 6_000

/** What a change is about, as small numbers that mean something in every state: so that every part of a history is one. */
interface Draft {
  readonly type: Change['type']
  readonly a: number
  readonly b: number
  readonly c: number
}

interface Log {
  fleet: Fleet
  readonly entries: LogEntry[]
  /** What a planted mistake does to the fleet after each entry. */
  spoil?(fleet: Fleet): void
}

const pick = <T>(all: readonly T[], number: number): T | undefined => all[number % Math.max(1, all.length)]
const hostAt = (number: number): string => pick(HOSTS, number) as string

function toChange({ type, a, b, c }: Draft, model: ReferenceModel): Change {
  const claim = pick([...model.claims].reverse(), a)
  // now and then one that never was, or an old fence
  const ref = { claim: a % 13 === 7 ? 'none' : (claim?.id ?? 'none'), fence: (claim?.fence ?? 0) - (a % 11 === 5 ? 1 : 0) }
  const group = b % 3 === 0 ? (pick(GROUPS, c) as GroupBinding) : null
  const parts = 1 + (c % 3)
  // the model knows GPUs as they are counted since this level
  const hasGpus = model.level >= STRICT_CLAIMS
  const shape = {
    key: `k${b % 3 === 2 ? b % 8 : model.revision * 10 + b}`,
    ids: Array.from({ length: parts }, (_, i) => `c${model.revision}.${b}.${i}`),
    hosts: Array.from({ length: parts }, (_, i) => hostAt(a + i * (b % 2))),
    instances: Array.from({ length: parts }, (_, i) => (a % 5 === 4 ? null : aUuid(1 + ((b + i) % 30)))),
    grants: {
      classes: { VCPU: a % 9 === 8 ? 6 : 1 + (a % 3), MEMORY_MB: 512 * (1 + (c % 3)) },
      ...(hasGpus && b % 3 === 1 && { gpu: [{ index: c % GPUS, milli: 1_000 }] }),
    },
    mode: a % 4 === 0 ? ('CONFIRM' as const) : ('RESERVE' as const),
    ttlMs: 1_000 * (1 + (c % 10)),
    notAfter: b % 10 === 9 ? model.now - 1 : null,
    group,
  }
  // a move keeps its claim's group, as a request for one is completed
  const its = model.group(claim?.group ?? null)
  const bound = its ? { uuid: its.uuid, policy: its.policy as GroupBinding['policy'], maxServerPerHost: its.max } : null
  switch (type) {
    case 'claims':
      return aClaim(shape)
    case 'move':
      return aMove({
        ...shape,
        ids: shape.ids.slice(0, 1),
        hosts: [b % 2 === 0 && claim ? claim.host : hostAt(c)],
        instances: [claim?.instance ?? null],
        group: bound,
        source: ref,
        intent: 'RESIZE',
      })
    case 'report': {
      const host = hostAt(a)
      const running = model.claims.filter((one) => one.host === host && one.instance !== null && (b >> (one.fence % 4)) % 2 === 0)
      const vcpusUsed = running.reduce((sum, { amounts }) => sum + (amounts.VCPU ?? 0), 0)
      const instances =
        c % 7 === 3 ? null : [...new Set([...running.map(({ instance }) => instance as string), ...(b % 5 === 1 ? [aUuid(1 + c)] : [])])]
      const known = model.host(host)?.sequence ?? 0
      // as many as its instances have, though not those that their claims name
      const busy = running.reduce((sum, { gpus }) => sum + gpus.length, 0)
      const gpus = Array.from({ length: GPUS }, (_, index) => ({ index, usedMilli: (index + c) % GPUS < busy ? 1_000 : 0 }))
      const report = aReport(
        host,
        {
          ...{ vcpus: 4 + (b % 3), vcpusUsed, memoryMb: 8_192, cpuAllocationRatio: c % 4 === 0 ? 2 : 1, instances },
          ...(hasGpus && { gpus }),
          ...(c % 3 === 0 && { machineId: aUuid(0xa0 + (b % 2)) }),
          ...(a % 3 === 0 && { nova: novaOf(b % 2 === 0 ? 0 : 1 + (b % 3) / 2, c) }),
        },
        known + (b % 6 === 0 ? 0 : 1),
      )
      return c % 9 === 1 ? { ...report, incarnation: aUuid(0x90 + (b % 3)) } : report
    }
    case 'confirm':
    case 'release':
      return { type, ...ref, reason: null }
    case 'extend':
      return { type, ...ref, ttlMs: 1_000 * (1 + b) }
    case 'revoke':
      return { type, claim: ref.claim, reason: 'test' }
    case 'expire':
      return { type, claim: ref.claim }
    case 'abandon':
      return { type, account: 'acme', key: b % 2 === 0 && claim ? claim.key : `k${b % 8}` }
    case 'status':
      return { type, host: hostAt(a), node: hostAt(a), status: b % 2 === 0 ? 'ENABLED' : 'DISABLED', reason: '' }
    case 'liveness':
      return { type, host: hostAt(a), node: hostAt(a), state: (['UP', 'SUSPECT', 'DOWN'] as const)[b % 3] as 'UP', reason: '' }
    case 'group': {
      const { uuid } = pick(GROUPS, a) as GroupBinding
      const { policy, maxServerPerHost } = pick(GROUPS, b) as GroupBinding
      return { type, uuid, policy, maxServerPerHost, expectedVersion: (model.group(uuid)?.version ?? 1) - (c % 6 === 0 ? 1 : 0) }
    }
    case 'aggregate': {
      const version = model.aggregates.find(({ uuid }) => uuid === aUuid(0x70 + (a % 3)))?.version ?? 0
      const next = {
        name: b % 5 === 0 ? 'all' : `part ${a % 3}`,
        metadata: {
          ...(c % 2 === 0 && { availability_zone: `z${c % 3}` }),
          ...(c % 3 === 1 && { cpu_allocation_ratio: b % 6 === 3 ? 'many' : String(1 + (b % 5) / 2) }),
        },
        hosts: HOSTS.filter((_, i) => (b >> i) % 2 === 1),
      }
      return {
        type,
        uuid: aUuid(0x70 + (a % 3)),
        expectedVersion: version + (c % 9 === 8 ? 1 : 0),
        next: version > 0 && b % 4 === 0 ? null : next,
      }
    }
    case 'usedFrom':
      return { type, host: hostAt(a), node: hostAt(a), usedFrom: b % 2 === 0 ? 'REPORT' : 'CLAIMS', reason: 'test' }
    case 'hostAllocation': {
      const ratio = b % 3 === 0 ? null : 1 + (b % 4) / 2
      const edit = {
        ratio: b % 19 === 7 ? 1_001 : ratio,
        ...(c % 3 === 0 && { reserved: c % 5 === 0 ? null : c % 4 }),
        ...{ by: 'test', reason: 'test' },
      }
      return { type, host: hostAt(a), node: hostAt(a), resourceClass: c % 2 === 0 ? 'VCPU' : 'MEMORY_MB', ...edit }
    }
    case 'fleetAllocation': {
      if (model.level < ALLOCATION_RULES) return { type: 'feature', level: ALLOCATION_RULES }
      const classes = {
        ...(b % 3 > 0 && { VCPU: { ratio: b % 13 === 7 ? 0 : 1 + (b % 4) / 2, ...(c % 2 === 0 && { reserved: c % 3 }) } }),
        ...(c % 4 === 0 && { MEMORY_MB: { reserved: 512 * (b % 4) } }),
      }
      const expectedVersion = model.allocation.version + (c % 9 === 8 ? 1 : 0)
      return { type, expectedVersion, release: [null, 26, 27][a % 3] ?? null, classes, by: 'test', reason: 'test' }
    }
    case 'forget':
      return {
        type,
        hosts: [{ host: hostAt(a), node: hostAt(a) }],
        isForced: b % 3 === 0,
        ...(c % 2 === 0 && { expectedClaims: c % 3 }),
        reason: 'test',
      }
    case 'readmit':
      return { type, host: hostAt(a), node: hostAt(a), reason: 'test' }
    case 'replace':
      return { type, hosts: [{ from: { host: hostAt(a), node: hostAt(a) }, to: { host: hostAt(b), node: hostAt(b) } }], reason: 'test' }
    case 'membership':
      return { type, ...ref, group: c % 4 === 0 ? null : (pick(GROUPS, b) as GroupBinding) }
    default:
      return { type: 'feature', level: 2 + (a % (FEATURE_LEVEL - 1)) }
  }
}

/** What a report keeps of a document of Nova's. */
const novaOf = (cpuRatio: number, c: number) => ({
  computeNode: { cpu_allocation_ratio: cpuRatio, ...(c % 2 === 0 && { ram_allocation_ratio: null }), disk_allocation_ratio: 1 },
  ...{ service: null, cellUuid: null, flavors: {}, images: {} },
})

interface Step {
  readonly drafts: readonly Draft[]
  readonly basis: 'head' | 'older' | 'alien'
  /** The entry has the id of an earlier one. */
  readonly repeats: boolean
  /** The store's clock moves on by this, or back. */
  readonly passMs: number
}

/** The next entry of the log: the core and the model must judge it alike, and be in the same state after it. */
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

/** The replica starts anew from a checkpoint of where it is. */
class Restart implements fc.Command<ReferenceModel, Log> {
  check = () => true

  run(model: ReferenceModel, log: Log): void {
    log.fleet = restoreFleet(JSON.parse(JSON.stringify(checkpointOf(log.fleet))))
    expect(digestOfFleet(log.fleet)).toBe(digestOfModel(model))
    expect(findingsOfFleet(log.fleet, FOLLOWS_MS)).toBe(findingsOfModel(model, FOLLOWS_MS))
  }

  toString = () => 'restart'
}

/** How often each kind comes. */
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
const number = fc.nat({ max: 99 })
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

/** Random logs, new ones and such as an older release began. `spoil`: does something to the fleet after each entry. */
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

test('the core judges every log as the reference model does, and reaches its state', () => {
  fc.assert(judgesAlike(), { numRuns: byExtent(40, 100) })
})

test('a claim that forgets its amount when pins move is found', () => {
  expect(
    fc.check(
      judgesAlike((fleet) => forgetMovedUnits(fleet)),
      { numRuns: 500, endOnFailure: true },
    ).failed,
  ).toBe(true)
})

test('what lies further back than places are remembered is no basis any more', () => {
  const model = new ReferenceModel()
  const log: Log = { fleet: new Fleet(), entries: [] }
  const append = (step: Partial<Step>) => new Append({ drafts: [], basis: 'head', repeats: false, passMs: 0, ...step }).run(model, log)
  append({ drafts: reports })
  for (let i = 0; i < 1_022; i++) append({})
  // the pick of an older place by 0 is the first one
  append({ drafts: [{ type: 'claims', a: 0, b: 1, c: 0 }], basis: 'older' })
  expect(model.claims).toHaveLength(1)
  append({})
  append({ drafts: [{ type: 'claims', a: 1, b: 2, c: 0 }], basis: 'older' })
  expect(model.claims).toHaveLength(1)
})

test('groups are kept apart, unless they share a host already, in the core and in the model', () => {
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

test('a move keeps its group: it cannot join one by moving, in the core and in the model', () => {
  const group: GroupBinding = { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 }
  const { append, log } = inBoth()
  const fenceOf = (id: string): number => log.fleet.ledger.claims.get(id)?.fence ?? 0
  append([aReport('h1')])
  append([aClaim({ key: 'a', instances: [aUuid(1)] })])
  const source = { claim: 'a.0', fence: fenceOf('a.0') }
  expect(append([aMove({ key: 'm', source, instances: [aUuid(1)], intent: 'RESIZE', group })])).toEqual(['claim.group_mismatch'])
  expect(append([aClaim({ key: 'b', instances: [aUuid(2)], group })])).toEqual([undefined])
})

test('a claim that ended long ago is there until the report that drops its instance, and not longer', () => {
  const model = new ReferenceModel()
  const log: Log = { fleet: new Fleet(), entries: [] }
  const append = (step: Partial<Step>) => new Append({ drafts: [], basis: 'head', repeats: false, passMs: 0, ...step }).run(model, log)
  const revoke: Draft = { type: 'revoke', a: 0, b: 0, c: 0 }
  append({ drafts: reports })
  append({ drafts: [{ type: 'claims', a: 0, b: 1, c: 0 }] })
  // the host lists the instance, and goes on to do so
  append({ drafts: [{ type: 'report', a: 0, b: 32, c: 0 }] })
  append({ drafts: [revoke] })
  append({ passMs: HOUR_MS })
  expect(model.claims).toMatchObject([{ state: 'REVOKED', lingers: true }])
  append({ drafts: [revoke, { type: 'report', a: 0, b: 15, c: 0 }, revoke] })
  expect(model.claims).toEqual([])
})

/** A log of the core, and changes that are appended to it and to the model: both must judge them alike and end in the same state. */
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
