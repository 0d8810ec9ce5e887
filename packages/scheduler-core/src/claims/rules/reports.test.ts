import { describe, expect, test } from 'vitest'
import { checkpointOf } from '../../fleet/checkpoint.ts'
import type { Change } from '../../records/change.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import { abandon, expire, free, stateOf, twoHosts } from '../testing/two-hosts.ts'

describe('rule 7: reports', () => {
  const X = aUuid(0x99)
  const running = (sequence: number, instances: readonly string[] | null, more: object = {}) =>
    aReport('h1', { vcpus: 4, memoryMb: 4_096, instances: instances === null ? null : [...instances], ...more }, sequence)

  test.each(['RESERVE', 'CONFIRM'] as const)('a report that lists an instance materialises its claim made with %s', (mode) => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X], mode, ttlMs: 10 })])
    log.append([running(2, [X], { vcpusUsed: 1 })])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['MATERIALISED', 3])
    expect(log.append([expire('k1.0')], { at: 99_000 })).toEqual(['claim.not_expired'])
  })

  test('a report without the instance of a materialised claim returns the claim to CONFIRMED, and it holds its amounts again', () => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X], ttlMs: 10 })])
    log.append([running(2, [X], { vcpusUsed: 1 })])
    log.append([running(3, [], { vcpusUsed: 0 })])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['CONFIRMED', 3])
    expect(log.fleet.ledger.claims.get('k1.0')?.expiresAt).toBeNull()
    expect(log.append([expire('k1.0')], { at: 99_000 })).toEqual(['claim.not_expired'])
  })

  test('a report without a list of instances does not change the states of claims', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', instances: [X] }), aClaim({ key: 'b', instances: [aUuid(0x98)] })])
    log.append([running(2, [X], { vcpusUsed: 1 })])
    log.append([running(3, null, { vcpusUsed: 1 })])
    expect([stateOf(log, 'a.0'), stateOf(log, 'b.0')]).toEqual(['MATERIALISED', 'RESERVED'])
  })

  test('a delta that adds and removes instances also changes the states of their claims', () => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X] })])
    const delta = (sequence: number, part: object): Change => ({
      type: 'report',
      host: 'h1',
      node: 'h1',
      incarnation: '00000000-0000-4000-8000-000000000001',
      sequence,
      delta: { baseSequence: sequence - 1, ...part },
    })
    log.append([delta(2, { addInstances: [X], vcpusUsed: 1, memoryMbUsed: 512 })])
    expect(stateOf(log, 'k1.0')).toBe('MATERIALISED')
    log.append([delta(3, { removeInstances: [X], vcpusUsed: 0, memoryMbUsed: 0 })])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['CONFIRMED', 3])
  })

  const deltaOf = (part: object): Change => {
    const { full: _, ...report } = aReport('h1', {}, 2)
    return { ...report, delta: { baseSequence: 1, ...part } }
  }

  test('a delta that adds or removes an instance must contain the used amounts of the host, or it is refused as a gap', () => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X] })])
    expect(log.append([deltaOf({ addInstances: [X] })])).toEqual(['report.gap'])
    expect(stateOf(log, 'k1.0')).toBe('RESERVED')
  })

  test('a delta cannot add or remove an instance with dedicated CPUs or GPUs, because a delta has no used amounts of CPUs and GPUs', () => {
    const log = aLog()
    const cell = { id: 0, cpuset: [0, 1, 2, 3], memoryMb: 8_192, cpuUsage: 0, memoryUsageMb: 0, pinnedCpus: [] }
    log.append([aReport('h1', { instances: [], numaCells: [cell], gpus: [{ index: 0, usedMilli: 0 }] })])
    const grants = {
      classes: { VCPU: 2, MEMORY_MB: 1_024 },
      numa: [{ guest: 0, cell: 0, cpus: 0, memoryMb: 1_024, pinned: [0, 1] }],
      gpu: [{ index: 0, milli: 1_000 }],
    }
    const pinned = (key: string, instance: string) => aClaim({ key, mode: 'CONFIRM', instances: [instance], grants })
    expect(log.append([pinned('k1', X)])).toEqual([undefined])
    expect(log.append([deltaOf({ addInstances: [X], vcpusUsed: 2, memoryMbUsed: 1_024 })])).toEqual(['report.gap'])
    expect(log.append([pinned('k2', aUuid(0x98))])).toEqual(['claim.no_room'])
  })

  test('a delta with the used amount of a standard class also changes the reported inventory of that class', () => {
    const log = aLog()
    log.append([aReport('h1', { inventories: [{ resourceClass: 'VCPU', total: 2, used: 0 }] })])
    log.append([deltaOf({ vcpusUsed: 2 })])
    expect(free(log)).toBe(0)
  })

  test('a group is forgotten with its last member, and created again by the next member', () => {
    const log = twoHosts()
    const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY') => ({ uuid: aUuid(7), policy, maxServerPerHost: null })
    log.append([aClaim({ key: 'a', group: group('AFFINITY') })])
    expect(log.append([aClaim({ key: 'b', group: group('ANTI_AFFINITY') })])).toEqual(['claim.group_mismatch'])
    const { fence } = log.fleet.ledger.claims.get('a.0') ?? { fence: 0 }
    log.append([{ type: 'release', claim: 'a.0', fence, reason: null }])
    expect(log.fleet.groups.byUuid.size).toBe(0)
    expect(log.append([aClaim({ key: 'c', group: group('ANTI_AFFINITY') })])).toEqual([undefined])
  })

  test('a checkpoint does not change when the fleet changes', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a' })])
    const checkpoint = checkpointOf(log.fleet)
    const before = canonicalJson(checkpoint)
    const { fence } = log.fleet.ledger.claims.get('a.0') ?? { fence: 0 }
    log.append([{ type: 'release', claim: 'a.0', fence, reason: null }])
    expect(canonicalJson(checkpoint)).toBe(before)
  })

  test('instance ids in upper and lower case are the same', () => {
    const upper = 'ABCDEFAB-0000-4000-8000-00000000000A'
    expect(aRequest({ instanceUuids: [upper] }).instanceUuids).toEqual([upper.toLowerCase()])
    expect(aReport('h1', { instances: [upper] }).full?.instances).toEqual([upper.toLowerCase()])
  })

  test('reports with an old sequence or an old incarnation are ignored', () => {
    const log = twoHosts()
    const of = (incarnation: number, sequence: number): Change => ({
      ...aReport('h1', { vcpus: 4 }, sequence),
      incarnation: aUuid(incarnation),
    })
    expect(log.append([of(1, 1), of(1, 2), of(2, 1), of(1, 99), of(2, 1), of(3, 5), of(2, 100), of(1, 100)])).toEqual([
      'report.stale',
      undefined,
      undefined,
      'report.stale',
      'report.stale',
      undefined,
      'report.stale',
      'report.stale',
    ])
  })

  test('an instance that runs on after its claim ended holds the resources that the report of its host does not count', () => {
    const log = aLog()
    const custom = { inventories: [{ resourceClass: 'CUSTOM_X', total: 1 }] }
    const grants = { classes: { CUSTOM_X: 1 } }
    log.append([aReport('h1', { ...custom, instances: [] })])
    log.append([aClaim({ key: 'a', grants, instances: [X] })])
    log.append([aReport('h1', { ...custom, instances: [X] }, 2), abandon('a')])
    expect(log.append([aClaim({ key: 'b', grants })])).toEqual(['claim.no_room'])
    expect(log.append([aReport('h1', { ...custom, instances: [] }, 3), aClaim({ key: 'b', grants })])).toEqual([undefined, undefined])
  })
})
