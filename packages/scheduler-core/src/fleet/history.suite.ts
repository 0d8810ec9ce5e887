import fc from 'fast-check'
import {
  type Change,
  ENTRY_FORMAT,
  FEATURE_LEVEL,
  type GroupBinding,
  type Liveness,
  type LogEntry,
  livenessStates,
} from '../records/change.ts'
import { isLive } from '../records/claim.ts'
import type { Place } from '../records/place.ts'
import { aClaim, aMove, aReport, aUuid, type HostShape } from '../testing/index.ts'
import type { HostName } from '../values/host-name.ts'
import { ALLOCATION_RULES, COUNTED_RESERVATIONS, HOSTS_LEAVE, STRICT_CLAIMS } from '../values/levels.ts'
import type { Fleet } from './fleet.ts'
import { GROUPS, grantsOf, groupOf } from './history-grants.suite.ts'

/**
 * One step of a random history. A step has small numbers, and the state of the fleet determines which hosts and claims the numbers select.
 * Therefore, most changes are valid, and every shortened history is valid.
 */
export interface Step {
  readonly actions: readonly Action[]
  /** Milliseconds since the previous entry. Can be negative. */
  readonly elapsedMs: number
  /** A number from 0 to 99. It determines which log position the entry is based on, and which id the entry has. */
  readonly trust: number
}

interface Action {
  readonly what: (typeof actions)[number]
  readonly a: number
  readonly b: number
  readonly c: number
}

const actions = [
  'claim',
  'claim',
  'claim',
  'claim',
  'claim',
  'stale',
  'report',
  'delta',
  'confirm',
  'extend',
  'release',
  'revoke',
  'move',
  'move',
  'settle',
  'expire',
  'abandon',
  'status',
  'liveness',
  'group',
  'membership',
  'aggregate',
  'namespace',
  'usedFrom',
  'allocation',
  'leave',
] as const

const action: fc.Arbitrary<Action> = fc.record({
  what: fc.constantFrom(...actions),
  a: fc.nat({ max: 11 }),
  b: fc.nat({ max: 11 }),
  c: fc.nat({ max: 11 }),
})

export const histories: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    actions: fc.array(action, { minLength: 1, maxLength: 3 }),
    elapsedMs: fc.constantFrom(0, 1, 50, 50, 400, -30, 1_800_000, 3_600_000),
    trust: fc.nat({ max: 99 }),
  }),
  { minLength: 8, maxLength: 40 },
)

const HOSTS = ['h1', 'h2', 'h3']
/** The names of hosts that leave, return or are replaced. */
const NAMES = [...HOSTS, 'h4']
const KEYS = 9

/** A random report of a host, with or without used amounts. */
function shapeOf(fleet: Fleet, host: string, { b, c }: Action): HostShape {
  const record = fleet.hosts.find({ host, node: host })
  const instances = [...(record?.claims ?? [])].flatMap(({ instance }) => (instance === null ? [] : [instance]))
  // `b` determines which instances with claims are listed. `c` determines whether an instance without a claim is also listed
  const running = [...new Set([...instances.filter((_, i) => (b >> (i % 3)) % 2 === 0), ...(c % 4 === 0 ? [aUuid(0xff)] : [])])]
  const counts = c % 2 === 0
  return {
    vcpus: 4 + (c % 3),
    vcpusUsed: b % 3,
    memoryMb: 8 + c,
    memoryMbUsed: b % 4,
    cpuAllocationRatio: c % 3 === 0 ? 1.5 : 1,
    runningVms: running.length,
    numIoOps: b,
    traits: c % 2 === 0 ? ['FAST'] : [],
    inventories:
      c === 7 ? [] : [{ resourceClass: 'CUSTOM_X', total: 9, reserved: 1, maxUnit: 4, stepSize: 2, used: counts ? b % 3 : null }],
    // the properties of the devices differ between reports, so claims can name pools that the latest report does not have
    pciPools:
      c === 10
        ? []
        : [null, 0, 1].map((numaNode) => ({
            ...{ vendorId: 'v', productId: c % 4 === 3 ? 'q' : 'p', tags: c % 4 === 2 ? { physical_network: 'n' } : {} },
            ...{ numaNode, total: 3, used: counts ? b % 2 : null },
          })),
    gpus: c === 8 ? [] : [0, 1, 2].map((index) => ({ index, usedMilli: counts ? (b % 2) * 300 : null })),
    numaCells: (c === 9 ? [0] : [0, 1]).map((id) => ({
      id,
      cpuset: [0, 1, 2].map((cpu) => id * 4 + cpu),
      memoryMb: 4,
      cpuUsage: counts ? b % 2 : null,
      memoryUsageMb: counts ? b % 3 : null,
      pinnedCpus: counts ? [id * 4].slice(0, b % 2) : null,
      siblings: c % 3 === 1 ? [[id * 4, id * 4 + 1]] : [],
      pages:
        c === 5
          ? []
          : [
              { sizeKib: 4, total: 700, used: counts ? b : null },
              { sizeKib: 2_048, total: 3, reserved: 1, used: counts ? b % 2 : null },
            ],
    })),
    instances: c === 11 ? null : running,
  }
}

/**
 * Returns true if a change of this type is always the only change in its entry. Its effect on sums can then be distinguished from the
 * effect of claims.
 */
export const isAlone = ({ type }: Change): boolean => type === 'report' || type === 'forget' || type === 'readmit' || type === 'replace'

/** The sequence number of the last report of a host. 0 if there is none. */
function sequenceOf({ hosts }: Fleet, host: string): number {
  const name = { host, node: host }
  return (hosts.find(name) ?? hosts.findForgotten(name))?.reporters.get('compute')?.sequence ?? 0
}

function leaving(name: HostName, to: string, c: number): Change {
  const reason = 'history'
  if (c % 4 === 3) return { type: 'replace', hosts: [{ from: name, to: { host: to, node: to } }], reason }
  if (c % 4 === 2) return { type: 'readmit', ...name, reason }
  return { type: 'forget', hosts: [name], isForced: c % 4 === 1, ...(c % 3 === 0 && { expectedClaims: c % 5 }), reason }
}

/** Turns steps into the entries of one log. Remembers proposals, so that a later step can repeat them. */
export class Historian {
  readonly entries: LogEntry[] = []
  readonly #proposed: Change[] = []
  readonly #level: number
  #claims = 0

  constructor(level = FEATURE_LEVEL) {
    this.#level = level
  }

  /** The first entry. It raises the feature level and has a full report of every host. */
  first(fleet: Fleet): LogEntry {
    const reports = HOSTS.map((host, i) => aReport(host, shapeOf(fleet, host, { what: 'report', a: i, b: i * 3, c: i })))
    const changes: Change[] = [{ type: 'feature', level: this.#level }, ...reports]
    const revision = fleet.place.revision + 1
    const entry: LogEntry = { format: ENTRY_FORMAT, id: 'first', writer: 'history', basis: fleet.place, changes, revision, at: 1_000 }
    this.entries.push(entry)
    return entry
  }

  /** The next entry. Depending on `trust`, the entry is faulty: it is based on a wrong log position, or it repeats an earlier entry. */
  next(fleet: Fleet, { actions: wanted, elapsedMs, trust }: Step): LogEntry {
    const changes = wanted.flatMap((one) => this.#changeOf(fleet, one) ?? [])
    const report = changes.find(isAlone)
    const earlier = this.entries[trust % Math.max(1, this.entries.length)]
    const basis: Place =
      trust < 80 || earlier === undefined
        ? fleet.place
        : trust < 92
          ? { revision: earlier.revision, id: earlier.id, at: earlier.at }
          : {
              ...fleet.place,
              ...(trust < 95 ? { id: 'wrong' } : trust < 97 ? { at: fleet.place.at + 1 } : { revision: fleet.place.revision + 1 }),
            }
    const copied = trust >= 98 ? earlier : undefined
    const entry: LogEntry = {
      format: ENTRY_FORMAT,
      id: `e${fleet.place.revision + 1}`,
      writer: 'history',
      basis,
      changes: report === undefined ? changes : [report],
      ...(copied === undefined ? {} : { id: copied.id, basis: copied.basis, changes: copied.changes }),
      revision: fleet.place.revision + 1,
      at: Math.max(0, (this.entries.at(-1)?.at ?? 1_000) + elapsedMs),
    }
    this.entries.push(entry)
    return entry
  }

  #changeOf(fleet: Fleet, one: Action): Change | undefined {
    const { what, a, b, c } = one
    const names = fleet.featureLevel < HOSTS_LEAVE ? HOSTS : NAMES
    const name = names[a % names.length] as string
    const record = fleet.hosts.find({ host: name, node: name })
    const claims = [...fleet.ledger.claims.values()]
    const claim = claims[(a * 12 + b) % Math.max(1, claims.length)]
    const fence = (claim?.fence ?? 0) + (c === 0 ? 1 : 0)
    switch (what) {
      case 'claim': {
        if (record === undefined) return undefined
        const hosts = c % 4 === 0 ? [name, names[b % names.length] as string] : [name]
        const grants = grantsOf(fleet, record.index, b) ?? { classes: { VCPU: 1 + c } }
        const proposal = aClaim({
          key: `k${(a + b * 5 + c) % KEYS}`,
          hosts,
          grants,
          ids: hosts.map(() => `c${this.#claims++}`),
          instances: hosts.map((_, i) => (c % 3 === 0 ? null : aUuid((a + b + i) % 6))),
          group: c % 5 === 1 ? (GROUPS[b % GROUPS.length] ?? null) : null,
          mode: c === 2 ? 'CONFIRM' : 'RESERVE',
          ttlMs: 40 * (b + 1),
          ...(b % 3 > 0 && c !== 2 && fleet.featureLevel >= COUNTED_RESERVATIONS && { untilCounted: true as const }),
          notAfter: c === 3 ? fleet.now + 30 : null,
        })
        this.#proposed.push(proposal)
        return proposal
      }
      case 'stale':
        return this.#proposed[(a * 12 + b) % Math.max(1, this.#proposed.length)]
      case 'report':
        return {
          ...aReport(name, shapeOf(fleet, name, one), sequenceOf(fleet, name) + (b === 0 ? 0 : 1)),
          incarnation: aUuid(c === 1 ? 2 : 1),
        }
      case 'delta': {
        const reporter = record?.reporters.get('compute')
        const instances = record?.stats.instances ?? []
        const { incarnation = aUuid(1), sequence = 1 } = reporter ?? {}
        return {
          type: 'report',
          host: name,
          node: name,
          incarnation,
          sequence: sequence + 1,
          delta: {
            baseSequence: sequence - (c === 0 ? 1 : 0),
            vcpusUsed: b % 4,
            runningVms: c,
            addInstances: c % 2 === 0 ? [aUuid(b % 6)] : [],
            removeInstances: instances.slice(0, c % 3),
          },
        }
      }
      case 'confirm':
        return { type: 'confirm', claim: claim?.id ?? 'none', fence }
      case 'extend':
        return { type: 'extend', claim: claim?.id ?? 'none', fence, ttlMs: 100 * c }
      case 'release':
        return { type: 'release', claim: claim?.id ?? 'none', fence, reason: null }
      case 'revoke':
        return { type: 'revoke', claim: claim?.id ?? 'none', reason: 'history' }
      case 'move': {
        // usually moves a live claim, to another host or within its host
        const live = claims.filter(isLive)
        const source = c === 0 ? claim : live[(a * 12 + b) % Math.max(1, live.length)]
        if (source === undefined || record === undefined) return undefined
        const home = fleet.hosts.get(source.host).host
        const proposal = aMove({
          key: `k${(a + b * 5 + c) % KEYS}`,
          hosts: [b % 3 === 0 ? home : name],
          ids: [`c${this.#claims++}`],
          grants: b % 2 === 0 ? (grantsOf(fleet, record.index, b) ?? { classes: { VCPU: 1 + c } }) : source.grants,
          instances: [source.instance],
          group: groupOf(fleet, source),
          mode: c === 2 ? 'CONFIRM' : 'RESERVE',
          ttlMs: 40 * (b + 1),
          source: { claim: source.id, fence: source.fence + (c === 1 ? 1 : 0) },
        })
        this.#proposed.push(proposal)
        return proposal
      }
      case 'settle': {
        // ends an open move by confirming or reverting it
        const open = claims.filter((one) => isLive(one) && one.source !== null)
        const destination = open[a % Math.max(1, open.length)]
        if (destination === undefined) return undefined
        const ref = { claim: destination.id, fence: destination.fence }
        return c % 3 === 0 ? { type: 'release', ...ref, reason: null } : { type: 'confirm', ...ref }
      }
      case 'liveness':
        return { type: 'liveness', host: name, node: name, state: livenessStates[b % 3] as Liveness, reason: 'history' }
      case 'group': {
        const group = GROUPS[a % GROUPS.length] as GroupBinding
        const rule = GROUPS[b % GROUPS.length] as GroupBinding
        const version = fleet.groups.find(group.uuid)?.version ?? 1
        return { type: 'group', ...rule, uuid: group.uuid, expectedVersion: version + (c === 0 ? 1 : 0) }
      }
      case 'membership':
        return { type: 'membership', claim: claim?.id ?? 'none', fence, group: c < 3 ? null : (GROUPS[b % GROUPS.length] ?? null) }
      case 'expire': {
        const lapsing = [...fleet.ledger.lapsing.values()]
        return { type: 'expire', claim: lapsing[a % Math.max(1, lapsing.length)]?.id ?? claim?.id ?? 'none' }
      }
      case 'abandon':
        return { type: 'abandon', account: 'acme', key: `k${b % KEYS}` }
      case 'status':
        return { type: 'status', host: name, node: name, status: b % 2 === 0 ? 'ENABLED' : 'DISABLED', reason: 'history' }
      case 'aggregate': {
        const uuid = aUuid(0x70 + (a % 2))
        const version = fleet.aggregates.byUuid.get(uuid)?.version ?? 0
        const next =
          c === 0
            ? null
            : {
                name: `a${b % 3}`,
                metadata: { availability_zone: `z${c % 2}`, ...(c > 7 && { cpu_allocation_ratio: String(b / 2) }) },
                hosts: names.filter((_, i) => (b >> i) % 2 === 0),
              }
        return { type: 'aggregate', uuid, expectedVersion: version, next }
      }
      case 'leave':
        return fleet.featureLevel < HOSTS_LEAVE ? undefined : leaving({ host: name, node: name }, names[b % names.length] as string, c)
      case 'allocation': {
        if (fleet.featureLevel < ALLOCATION_RULES) return undefined
        const edit = { by: 'ops', reason: 'history' }
        const ratio = c % 4 === 0 ? null : 0.5 + b / 4
        const { version } = fleet.hosts.fleetAllocation
        if (a % 4 === 0)
          return {
            type: 'fleetAllocation',
            expectedVersion: version,
            release: c % 2 === 0 ? null : 27,
            classes: { VCPU: { ratio: 1 + b } },
            ...edit,
          }
        const resourceClass = ['VCPU', 'MEMORY_MB', 'CUSTOM_X'][b % 3] as string
        return { type: 'hostAllocation', host: name, node: name, resourceClass, ratio, ...(c > 5 && { reserved: c % 3 }), ...edit }
      }
      case 'usedFrom':
        if (fleet.featureLevel < STRICT_CLAIMS) return undefined
        return { type: 'usedFrom', host: name, node: name, usedFrom: b % 3 === 0 ? 'CLAIMS' : 'REPORT', reason: 'history' }
      case 'namespace':
        return {
          type: 'namespace',
          host: name,
          node: name,
          namespace: 'volume',
          version: '1.0',
          incarnation: aUuid(1),
          sequence: b,
          document: { c },
        }
    }
  }
}
