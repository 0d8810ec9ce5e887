import { describe, expect, test } from 'vitest'
import { aClaim, aLog, aMove, aReport, aUuid, someInstances, type TestLog } from '../../testing/index.ts'
import { cell, gpu, gpus, pins, pool, Scene } from '../testing/scene.ts'

/**
 * Situations from the tests of Nova and Placement. Each title begins with its source: a test, a gabbi file and its step, or a nova-manage
 * command.
 */

const cpus = (amount: number) => ({ classes: { VCPU: amount } })
const device = { pci: [{ request: 0, pool: 'v:p@0', count: 1 }] }

describe("use and claims, after Nova's resource tracker", () => {
  test('test_update_usage_with_claim: use without a claim is counted, and a claim that the report counts is counted once', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.report({ vcpusUsed: 2, instances: [aUuid(1)] })
    expect(scene.free('VCPU')).toBe(6)
    // the claim is made after the report that lists its instance, so only the next report includes its use
    expect(scene.claim(1, cpus(2))).toBeUndefined()
    expect(scene.free('VCPU')).toBe(4)
    scene.report({ vcpusUsed: 2, instances: [aUuid(1)] })
    expect(scene.free('VCPU')).toBe(6)
    scene.check()
  })

  test('test_update_usage_removed: resources of a shelved and offloaded instance are free after a report without the instance', () => {
    const scene = new Scene({ vcpus: 8, gpus: gpus(0, 0) })
    scene.claim(1, { ...cpus(2), ...gpu(1) })
    scene.report({ vcpusUsed: 2, gpus: gpus(1_000, 0), instances: [aUuid(1)] })
    scene.release(1)
    expect([scene.free('VCPU'), scene.gpus]).toEqual([6, [0, 1_000]])
    scene.check()
    scene.report({ vcpusUsed: 0, gpus: gpus(0, 0), instances: [] })
    expect([scene.free('VCPU'), scene.gpus]).toEqual([8, [1_000, 1_000]])
    scene.check()
  })

  test('test_claim_abort: a claim that is released before its instance started frees all its resources', () => {
    const scene = new Scene({ vcpus: 8, gpus: gpus(0), numaCells: [cell(0)], pciPools: [pool(0, 1, 0)] })
    const before = [scene.free('VCPU'), scene.gpus, scene.freeCpus, scene.devices]
    expect(scene.claim(1, { ...cpus(2), ...gpu(0), ...pins(0, [0, 1]), ...device })).toBeUndefined()
    expect([scene.free('VCPU'), scene.gpus, scene.freeCpus, scene.devices]).toEqual([6, [0], [6], [0]])
    scene.release(1)
    expect([scene.free('VCPU'), scene.gpus, scene.freeCpus, scene.devices]).toEqual(before)
    scene.check()
  })

  test('test_claim_with_pci: the only device is first claimed and then in use, and is never free in between', () => {
    const scene = new Scene({ vcpus: 8, pciPools: [pool(0, 1, 0)] })
    scene.claim(1, device)
    for (const [used, instances] of [
      [0, []],
      [1, [aUuid(1)]],
      [0, [aUuid(1)]],
      [1, null],
      [0, []],
    ] as const) {
      scene.report({ pciPools: [pool(0, 1, used)], instances: instances && [...instances] })
      expect(scene.claim(2, device)).toBe('claim.no_room')
      scene.check()
    }
  })

  test('nova-manage placement heal_allocations: an instance without a claim also uses capacity', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.claim(1, cpus(3))
    scene.report({ vcpusUsed: 5, instances: [aUuid(0xdead)] })
    expect(scene.free('VCPU')).toBe(0)
    expect(scene.claim(2, cpus(1))).toBe('claim.no_room')
    scene.check()
  })

  test('test_remove_deleted_instances_allocations_deleted_instance: an ended claim is counted until a report no longer lists its instance', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.claim(1, cpus(3))
    scene.report({ vcpusUsed: 3, instances: [aUuid(1)] })
    scene.release(1)
    scene.report({ vcpusUsed: 0, instances: [aUuid(1)] })
    expect(scene.free('VCPU')).toBe(5)
    scene.report({ vcpusUsed: 0, instances: [] })
    expect(scene.free('VCPU')).toBe(8)
    scene.check()
  })
})

describe('hosts that do not list their instances', () => {
  const silent = { vcpus: 8, instances: null }

  test('test_no_instances_no_migrations_reserved_disk_ram_and_cpu: only the reported amounts are used', () => {
    const scene = new Scene({ ...silent, vcpusUsed: 1 })
    scene.report({ ...silent, vcpusUsed: 1 })
    expect([scene.free('VCPU'), scene.warnings]).toEqual([7, ['use.no_instances instances null 0']])
    scene.check()
  })

  test('test_startup_makes_it_through: the agent of a host restarts and reports no list, then lists instances again', () => {
    const scene = new Scene({ vcpus: 8 })
    scene.claim(1, cpus(3))
    scene.report({ vcpusUsed: 3, instances: [aUuid(1)] })
    scene.report({ vcpusUsed: 3, instances: null })
    expect(scene.free('VCPU')).toBe(2)
    expect(scene.claim(2, cpus(3))).toBe('claim.no_room')
    scene.report({ vcpusUsed: 3, instances: [aUuid(1)] })
    expect(scene.claim(2, cpus(3))).toBeUndefined()
    scene.check()
  })

  test('test_some_instances_source_and_dest_migration: a resize in place counts once, at its larger size', () => {
    const scene = new Scene(silent)
    scene.report(silent)
    scene.claim(1, cpus(2))
    expect(scene.open(1, 2, { VCPU: 3 })).toBeUndefined()
    scene.report({ ...silent, vcpusUsed: 2 })
    expect(scene.free('VCPU')).toBe(3)
    scene.check()
    expect(scene.confirm(2)).toBeUndefined()
    expect(scene.free('VCPU')).toBe(3)
    scene.check()
  })

  test('test_delete_allocation_for_shelve_offloaded_instance: an ended claim frees its resources at once', () => {
    const scene = new Scene({ ...silent, gpus: gpus(0, 0) })
    scene.report({ ...silent, vcpusUsed: 2, gpus: gpus(1_000, 0) })
    scene.claim(1, { ...cpus(2), ...gpu(1) })
    expect([scene.free('VCPU'), scene.gpus]).toEqual([4, [0, 0]])
    scene.release(1)
    expect([scene.free('VCPU'), scene.gpus]).toEqual([6, [0, 1_000]])
    scene.check()
  })

  test('test_some_instances_no_migrations: an instance in the reported use whose claim is not materialised counts twice', () => {
    const scene = new Scene(silent)
    scene.report(silent)
    for (const number of [1, 2]) scene.claim(number, cpus(2))
    scene.report({ ...silent, vcpusUsed: 4 })
    expect(scene.free('VCPU')).toBe(0)
    expect(scene.warnings).toEqual(['use.no_instances instances null 2'])
    scene.check()
  })
})

describe('idempotency keys in situations that Nova tests for its report client', () => {
  const limits = (expectedVersion: number, cap: number, afterlifeMs: number) =>
    ({ type: 'key-limits', expectedVersion, cap, afterlifeMs }) as const
  const shape = { vcpus: 8, memoryMb: 8_192, instances: [] }
  const begin = (): TestLog => {
    const log = aLog()
    log.append([{ type: 'feature', level: 8 }, aReport('h1', shape), aReport('h2', shape), limits(0, 3, 10_000)])
    return log
  }
  const refOf = ({ fleet }: TestLog, id: string) => ({ claim: id, fence: fleet.ledger.claims.get(id)?.fence ?? 0 })
  const release = (log: TestLog, id: string) => ({ type: 'release', ...refOf(log, id), reason: null }) as const
  const forgottenAt = ({ fleet }: TestLog, key: string, account = 'acme') => fleet.ledger.findKey(account, key)?.forgottenAt
  const one = (key: string, number: number, more: object = {}) => someInstances({ key, instances: [aUuid(number)], ...more })

  test('test_put_allocations_retries_conflict: a call repeated after its claim ended gets the old answer until the key ends', () => {
    const log = begin()
    log.append([one('a', 1)], { at: 1_000 })
    log.append([release(log, 'a.0')], { at: 2_000 })
    expect(log.append([one('a', 1, { ids: ['again'] })], { at: 11_999 })).toEqual(['claim.key_used'])
    expect(log.append([one('a', 1, { ids: ['anew'] })], { at: 12_001 })).toEqual(['claim.key_used'])
    // the first entry after the retention time forgets the key, so the next call can use it
    expect(log.append([one('a', 1, { ids: ['anew'] })], { at: 12_002 })).toEqual([undefined])
  })

  test('allocations-post.yaml, post allocations two consumers: a key of several claims is kept until its last claim ends', () => {
    const log = begin()
    log.append([someInstances({ key: 'a', hosts: ['h1', 'h2'], instances: [aUuid(1), aUuid(2)] })])
    log.append([release(log, 'a.0')], { at: 5_000 })
    expect([forgottenAt(log, 'a'), log.fleet.ledger.endedKeyCount]).toEqual([null, 0])
    log.append([release(log, 'a.1')], { at: 6_000 })
    expect([forgottenAt(log, 'a'), log.fleet.ledger.endedKeyCount]).toEqual([16_000, 1])
  })

  test('test_move_to_empty_target: when a move is confirmed, the key of its source ends, and the key of its destination does not', () => {
    const log = begin()
    log.append([one('a', 1, { mode: 'CONFIRM' })])
    log.append([aMove({ key: 'm', hosts: ['h2'], instances: [aUuid(1)], source: refOf(log, 'a.0') })])
    expect(forgottenAt(log, 'a')).toBeNull()
    log.append([{ type: 'confirm', ...refOf(log, 'm.0') }], { at: 7_000 })
    expect([forgottenAt(log, 'a'), forgottenAt(log, 'm')]).toEqual([17_000, null])
  })

  test('allocations-post.yaml, post allocations two users: the same key of two accounts is two independent keys', () => {
    const log = begin()
    expect(log.append([one('a', 1), aClaim({ key: 'a', account: 'other', ids: ['o.0'], instances: [aUuid(2)] })])).toEqual([
      undefined,
      undefined,
    ])
    log.append([release(log, 'a.0')], { at: 3_000 })
    expect([forgottenAt(log, 'a'), forgottenAt(log, 'a', 'other')]).toEqual([13_000, null])
  })

  test('quota lowered below use: if the cap is set below the count of ended keys, proposals with new keys are void until enough keys are forgotten', () => {
    const log = begin()
    for (const [i, key] of ['a', 'b', 'c'].entries()) {
      log.append([one(key, i + 1)])
      log.append([release(log, `${key}.0`)], { at: 1_000 * (i + 1) })
    }
    expect(log.append([limits(1, 1, 10_000)], { at: 4_000 })).toEqual([undefined])
    expect(log.fleet.ledger.endedKeyCount).toBe(3)
    expect(log.append([one('d', 4)], { at: 5_000 })).toEqual(['claim.key_cap'])
    expect(forgottenAt(log, 'a')).toBe(11_000)
    log.append([], { at: 13_001 })
    expect(log.append([one('d', 4)], { at: 13_002 })).toEqual([undefined])
  })
})
