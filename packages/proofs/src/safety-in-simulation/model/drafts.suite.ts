import {
  ALLOCATION_RULES,
  type Change,
  COUNTED_RESERVATIONS,
  FEATURE_LEVEL,
  type Fleet,
  type GroupBinding,
  type LogEntry,
  STRICT_CLAIMS,
} from '@gantt/scheduler-core'
import { aClaim, aMove, aReport, aUuid, someInstances } from '@gantt/scheduler-core/testing'
import type { ReferenceModel } from './reference-model.ts'

/** The host names. All three hosts report at the beginning. Later, hosts leave, and reappear under each other's names. */
export const HOSTS = ['h1', 'h2', 'h3']
const GROUPS: readonly GroupBinding[] = [
  { uuid: aUuid(0x61), policy: 'ANTI_AFFINITY', maxServerPerHost: null },
  { uuid: aUuid(0x62), policy: 'AFFINITY', maxServerPerHost: null },
  { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
  { uuid: aUuid(0x63), policy: 'SOFT_ANTI_AFFINITY', maxServerPerHost: null },
]
const GPUS = 3
export const HOUR_MS = 3_600_000
/**
 * If the instances that a host lists contradict its claims for this many milliseconds, there is a finding. A few log entries cover this
 * time.
 */
export const FOLLOWS_MS = 6_000

/**
 * The parameters of a change as small integers. They are valid in every state, so a list of changes stays valid when changes are removed.
 */
export interface Draft {
  readonly type: Change['type']
  readonly a: number
  readonly b: number
  readonly c: number
}

export interface Log {
  fleet: Fleet
  readonly entries: LogEntry[]
  /** Changes the fleet after each entry, as a planted mistake would. */
  spoil?(fleet: Fleet): void
}

export const pick = <T>(all: readonly T[], number: number): T | undefined => all[number % Math.max(1, all.length)]
const hostAt = (number: number): string => pick(HOSTS, number) as string

export function toChange({ type, a, b, c }: Draft, model: ReferenceModel): Change {
  const claim = pick([...model.claims].reverse(), a)
  // In one case of 13 the claim never existed, and in one case of 11 the fence is outdated.
  const ref = { claim: a % 13 === 7 ? 'none' : (claim?.id ?? 'none'), fence: (claim?.fence ?? 0) - (a % 11 === 5 ? 1 : 0) }
  const group = b % 3 === 0 ? (pick(GROUPS, c) as GroupBinding) : null
  const parts = 1 + (c % 3)
  // The model has only the present rules for GPUs, which apply from feature level STRICT_CLAIMS on. So logs below this level have no GPUs.
  const hasGpus = model.level >= STRICT_CLAIMS
  // Most reservations on the last host end when the host, which rarely lists its instances, counts their instances.
  const untilCounted = model.level >= COUNTED_RESERVATIONS && a % HOSTS.length === HOSTS.length - 1 && b % 2 === 0 && c % 8 > 0
  const shape = {
    key: `k${b % 3 === 2 ? b % 8 : model.revision * 10 + b}`,
    ids: Array.from({ length: parts }, (_, i) => `c${model.revision}.${b}.${i}`),
    hosts: Array.from({ length: parts }, (_, i) => hostAt(a + i * (b % 2))),
    instances: Array.from({ length: parts }, (_, i) => (a % 5 === 4 ? null : aUuid(1 + ((b + i) % 30)))),
    grants: {
      classes: { VCPU: a % 9 === 8 ? 6 : 1 + (a % 3), MEMORY_MB: 512 * (1 + (c % 3)) },
      ...(hasGpus && b % 3 === 1 && { gpu: [{ index: c % GPUS, milli: 1_000 }] }),
    },
    mode: a % (untilCounted ? 20 : 4) === 0 ? ('CONFIRM' as const) : ('RESERVE' as const),
    ...(untilCounted && { untilCounted: true as const }),
    ttlMs: 1_000 * (1 + (c % 10)),
    notAfter: b % 10 === 9 ? model.now - 1 : null,
    group,
  }
  // A move names the group of its claim, because the service adds it to the request of a move.
  const its = model.group(claim?.group ?? null)
  const bound = its ? { uuid: its.uuid, policy: its.policy as GroupBinding['policy'], maxServerPerHost: its.max } : null
  switch (type) {
    case 'claims': {
      if (c % 5 !== 2 || model.level < STRICT_CLAIMS) return aClaim(shape)
      // An instance in the host's last report. In most cases it has no claim.
      const host = hostAt(a)
      const instance = pick(model.host(host)?.present ?? [], b) ?? null
      const listed = { ...shape, hosts: [host], instances: [instance], ids: shape.ids.slice(0, 1), group: b % 7 === 3 ? group : null }
      return { ...someInstances(listed), isListed: true }
    }
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
      const isNova = model.level >= COUNTED_RESERVATIONS && host === HOSTS.at(-1)
      const memoryMbUsed = isNova ? running.reduce((sum, { amounts }) => sum + (amounts.MEMORY_MB ?? 0), 0) : 0
      const instances =
        c % 7 === 3 || (isNova && c % 4 > 0)
          ? null
          : [...new Set([...running.map(({ instance }) => instance as string), ...(b % 5 === 1 ? [aUuid(1 + c)] : [])])]
      const known = model.host(host)?.sequence ?? 0
      // The host reports as many used GPUs as its instances have. These can be other GPUs than those that the claims name.
      const busy = running.reduce((sum, { gpus }) => sum + gpus.length, 0)
      const gpus = Array.from({ length: GPUS }, (_, index) => ({ index, usedMilli: (index + c) % GPUS < busy ? 1_000 : 0 }))
      const report = aReport(
        host,
        {
          ...{
            vcpus: 4 + (b % 3),
            vcpusUsed,
            memoryMb: 8_192,
            memoryMbUsed,
            runningVms: isNova ? running.length : 0,
            cpuAllocationRatio: c % 4 === 0 ? 2 : 1,
            instances,
          },
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

/** The part of a report in Nova's form, with this CPU allocation ratio. */
const novaOf = (cpuRatio: number, c: number) => ({
  computeNode: { cpu_allocation_ratio: cpuRatio, ...(c % 2 === 0 && { ram_allocation_ratio: null }), disk_allocation_ratio: 1 },
  ...{ service: null, cellUuid: null, flavors: {}, images: {} },
})
