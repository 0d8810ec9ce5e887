import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../canonical-json.ts'
import { type Change, type ClaimsProposed, FEATURE_LEVEL, type LogEntry, type Place } from '../fleet/change.ts'
import { type Checkpoint, checkpointOf, restoreFleet } from '../fleet/checkpoint.ts'
import { type Fleet, PLACE_WINDOW, UnknownEntryError } from '../fleet/fleet.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type TestLog } from '../testing/index.ts'
import { KEY_CAP } from './judge.ts'
import { KEY_AFTERLIFE_MS } from './ledger.ts'

const HOUR = 3_600_000

/** A log of two hosts with 4 CPUs and 4 GiB each, whose reports list no instances yet. */
function twoHosts(): TestLog {
  const log = aLog()
  const shape = { vcpus: 4, memoryMb: 4_096, instances: [] }
  log.append([aReport('h1', shape), aReport('h2', shape)])
  return log
}

const stateOf = ({ fleet }: TestLog, id: string) => fleet.ledger.claims.get(id)?.state
const fenceOf = ({ fleet }: TestLog, id: string): number => fleet.ledger.claims.get(id)?.fence ?? Number.NaN
const free = ({ fleet }: TestLog, host = 'h1') => {
  const record = fleet.hosts.find({ host, node: host })
  return record === undefined ? undefined : fleet.hosts.classColumns('VCPU').free[record.index]
}
const passing = { classes: { VCPU: 1 } }
const expire = (claim: string): Change => ({ type: 'expire', claim })
const abandon = (key: string): Change => ({ type: 'abandon', account: 'acme', key })
const disable: Change = { type: 'status', host: 'h1', node: 'h1', status: 'DISABLED', reason: '' }
const stored = (fleet: Fleet): Checkpoint => JSON.parse(canonicalJson(checkpointOf(fleet)))

describe('rule 1: the basis is judged', () => {
  test('a place whose stamp is earlier than that of the place before is a basis as every other, and time does not go back', () => {
    const log = twoHosts()
    log.append([], { at: 9_000 })
    log.append([], { at: 2_000 })
    const basis: Place = { revision: 3, id: 'e3', at: 2_000 }
    const restored = restoreFleet(stored(log.fleet))
    expect([log.fleet.place, restored.place]).toEqual([basis, basis])
    expect([log.fleet.now, restored.now]).toEqual([9_000, 9_000])
    expect([log.fleet.knows(basis), restored.knows(basis)]).toEqual([true, true])
    expect(log.append([aClaim()], { basis, at: 1_500 })).toEqual([undefined])
    expect(log.append([], { basis: { ...basis, at: 9_000 } })).toEqual([])
    expect(log.append([disable], { basis: { ...basis, at: 9_000 } })).toEqual(['entry.basis'])
  })

  test.each<[string, (head: Place) => Place]>([
    ['another id', (head) => ({ ...head, id: 'other' })],
    ['another stamp', (head) => ({ ...head, at: head.at + 1 })],
    ['an earlier revision under the name of the head', (head) => ({ ...head, revision: head.revision - 1 })],
    ['a revision that is not there yet', (head) => ({ ...head, revision: head.revision + 1 })],
  ])('a basis with %s makes the entry void whole, edits and reports too', (_name, lie) => {
    const log = twoHosts()
    const basis = lie(log.fleet.place)
    const before = stored(log.fleet)
    const verdicts = log.append([disable, aReport('h1', {}, 2), aClaim(), abandon('k9')], { basis })
    expect(verdicts).toEqual(['entry.basis', 'entry.basis', 'entry.basis', 'entry.basis'])
    const { place: _, places: __, ...after } = stored(log.fleet)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'place' && name !== 'places')))
  })

  test('a void entry takes its place in the log all the same: the next one follows it', () => {
    const log = twoHosts()
    log.append([aClaim()], { basis: { revision: 1, id: 'other', at: 1_000 }, id: 'void' })
    expect(log.fleet.place).toEqual({ revision: 2, id: 'void', at: 1_000 })
    expect(log.append([aClaim()])).toEqual([undefined])
  })

  test('an entry that is not the next one is no part of this log', () => {
    const log = twoHosts()
    const entry = { ...(log.entries[0] as LogEntry), id: 'x' }
    expect(() => log.fleet.apply({ ...entry, revision: 3 })).toThrow(RangeError)
    expect(() => log.fleet.apply({ ...entry, revision: 1 })).toThrow(RangeError)
  })
})

describe('rule 2: the judge is never skipped', () => {
  test('two proposals of one entry on the head may carry one key: the second is void', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ key: 'k' }), aClaim({ key: 'k', hosts: ['h2'], ids: ['other'] })])).toEqual([undefined, 'claim.key_used'])
    expect([free(log), free(log, 'h2')]).toEqual([3, 4])
  })

  test('two proposals of one entry on the head may want the last room: the second is void', () => {
    const log = twoHosts()
    const grants = { classes: { VCPU: 3 } }
    expect(log.append([aClaim({ key: 'a', grants }), aClaim({ key: 'b', grants })])).toEqual([undefined, 'claim.no_room'])
  })
})

describe('rule 3: the fence is set by apply', () => {
  test('it comes from the revision and the place in the entry, and rises with the log', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', hosts: ['h1', 'h2'] }), aClaim({ key: 'b' })])
    log.append([aClaim({ key: 'c' })])
    expect(['a.0', 'a.1', 'b.0', 'c.0'].map((id) => fenceOf(log, id))).toEqual([131_072, 131_073, 131_074, 196_608])
  })

  test('a void proposal uses up its fences, so that they depend on the place alone', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', grants: { classes: { VCPU: 99 } }, hosts: ['h1', 'h1'] }), aClaim({ key: 'b' })])
    expect(fenceOf(log, 'b.0')).toBe(131_074)
  })

  test('confirm keeps it, and only its owner may confirm, extend and release', () => {
    const log = twoHosts()
    log.append([aClaim()])
    const fence = fenceOf(log, 'k1.0')
    const claim = 'k1.0'
    expect(
      log.append([
        { type: 'confirm', claim, fence: fence - 1 },
        { type: 'extend', claim, fence: fence - 1, ttlMs: 1 },
        { type: 'release', claim, fence: fence - 1, reason: null },
        { type: 'confirm', claim, fence },
      ]),
    ).toEqual(['claim.lost', 'claim.lost', 'claim.lost', undefined])
    expect([stateOf(log, claim), fenceOf(log, claim)]).toEqual(['CONFIRMED', fence])
  })
})

describe('rule 4: the expiry is judged', () => {
  const reserved = (): TestLog => {
    const log = twoHosts()
    log.append([aClaim({ ttlMs: 500 })], { at: 2_000 })
    return log
  }

  test('it does not count before the end, and counts at the end', () => {
    const log = reserved()
    expect(log.append([expire('k1.0')], { at: 2_499 })).toEqual(['claim.not_expired'])
    expect(log.append([expire('k1.0')], { at: 2_500 })).toEqual([undefined])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['EXPIRED', 4])
  })

  test('an extend that came first moves the end', () => {
    const log = reserved()
    log.append([{ type: 'extend', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), ttlMs: 500 }], { at: 2_400 })
    expect(log.append([expire('k1.0')], { at: 2_600 })).toEqual(['claim.not_expired'])
    expect(log.append([expire('k1.0')], { at: 2_900 })).toEqual([undefined])
  })

  test('an extend never shortens', () => {
    const log = reserved()
    log.append([{ type: 'extend', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), ttlMs: 1 }], { at: 2_001 })
    expect(log.fleet.ledger.claims.get('k1.0')?.expiresAt).toBe(2_500)
  })

  test('of confirm and expire the first in the log wins', () => {
    const [confirmed, expired] = [reserved(), reserved()]
    const confirm: Change = { type: 'confirm', claim: 'k1.0', fence: fenceOf(confirmed, 'k1.0') }
    expect(confirmed.append([confirm, expire('k1.0')], { at: 9_000 })).toEqual([undefined, 'claim.not_expired'])
    expect(expired.append([expire('k1.0'), confirm], { at: 9_000 })).toEqual([undefined, 'claim.lost'])
  })

  test('a stamp that goes back expires nothing early and nothing late', () => {
    const log = reserved()
    log.append([], { at: 2_500 })
    expect(log.append([expire('k1.0')], { at: 1 })).toEqual([undefined])
  })

  test('a deadline is judged by the stamp too', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ notAfter: 4_999 })], { at: 5_000 })).toEqual(['claim.deadline'])
    expect(log.append([aClaim({ notAfter: 5_000 })], { at: 5_000 })).toEqual([undefined])
  })
})

describe('rule 5: a void proposal binds no key', () => {
  test.each<[string, (log: TestLog) => Change, string]>([
    ['no room', () => aClaim({ key: 'k', grants: { classes: { VCPU: 99 } } }), 'claim.no_room'],
    ['a deadline that passed', () => aClaim({ key: 'k', notAfter: 1 }), 'claim.deadline'],
    ['a host that is not there', () => aClaim({ key: 'k', hosts: ['h9'] }), 'claim.no_room'],
  ])('%s leaves the key free', (_name, make, code) => {
    const log = twoHosts()
    expect(log.append([make(log)])).toEqual([code])
    expect(log.fleet.ledger.findKey('acme', 'k')).toBeUndefined()
    expect(log.append([aClaim({ key: 'k' })])).toEqual([undefined])
  })

  test('all parts or none: what the first parts held is free again', () => {
    const log = twoHosts()
    const group = { uuid: aUuid(1), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    expect(log.append([aClaim({ hosts: ['h1', 'h2', 'h2'], group })])).toEqual(['claim.group_rule'])
    expect([free(log), free(log, 'h2'), log.fleet.groups.find(group.uuid)]).toEqual([4, 4, undefined])
  })

  test('a key belongs to its account', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ key: 'k' }), aClaim({ key: 'k', account: 'other', ids: ['o'] })])).toEqual([undefined, undefined])
  })
})

describe('rule 6: entries of unknown outcome are sent again', () => {
  test('the second copy of an entry is void, one after another and much later', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    expect(log.append([aClaim()], { basis, id: 'twice' })).toEqual([undefined])
    log.append([abandon('other')])
    expect(log.append([aClaim()], { basis, id: 'twice' })).toEqual(['entry.repeated'])
    expect(log.append([disable], { id: 'twice' })).toEqual(['entry.repeated'])
    expect(free(log)).toBe(3)
  })

  test('an entry whose basis is as old as the window counts; one that is older is void whole', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    while (log.entries.length < PLACE_WINDOW) log.append([])
    expect(log.append([aClaim({ key: 'a' })], { basis })).toEqual([undefined])
    expect(log.append([aClaim({ key: 'b' })], { basis })).toEqual(['entry.basis'])
  })

  test('a copy that comes when its id is forgotten is older than the window, so it is void all the same', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([aClaim({ ttlMs: 1 })], { basis, id: 'late' })
    while (log.fleet.revisionOf('late') !== undefined) log.append([])
    expect(log.append([aClaim({ key: 'again', ids: ['x'] })], { basis, id: 'late' })).toEqual(['entry.basis'])
  })

  test('an id that came twice is known as long as its second place is, in a restored fleet too', () => {
    const log = twoHosts()
    log.append([], { id: 'twice' })
    for (let i = 0; i < 10; i++) log.append([])
    log.append([], { id: 'twice' })
    while (log.fleet.places.has(2)) log.append([])
    const restored = restoreFleet(stored(log.fleet))
    const entry: LogEntry = {
      format: 1,
      id: 'twice',
      writer: 't',
      basis: log.fleet.place,
      revision: log.entries.length + 1,
      at: 1_000,
      changes: [aClaim()],
    }
    expect([log.fleet.apply(entry), restored.apply(entry)]).toEqual([['entry.repeated'], ['entry.repeated']])
  })
})

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

  test('a report that drops a materialised one returns it to CONFIRMED in the same apply, and it holds room again', () => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X], ttlMs: 10 })])
    log.append([running(2, [X], { vcpusUsed: 1 })])
    log.append([running(3, [], { vcpusUsed: 0 })])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['CONFIRMED', 3])
    expect(log.fleet.ledger.claims.get('k1.0')?.expiresAt).toBeNull()
    expect(log.append([expire('k1.0')], { at: 99_000 })).toEqual(['claim.not_expired'])
  })

  test('a report that tells no instances materialises nothing and drops nothing', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', instances: [X] }), aClaim({ key: 'b', instances: [aUuid(0x98)] })])
    log.append([running(2, [X], { vcpusUsed: 1 })])
    log.append([running(3, null, { vcpusUsed: 1 })])
    expect([stateOf(log, 'a.0'), stateOf(log, 'b.0')]).toEqual(['MATERIALISED', 'RESERVED'])
  })

  test('a delta that adds and removes instances does the same', () => {
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

  test('a delta that moves an instance without the figures that count it is a gap', () => {
    const log = twoHosts()
    log.append([aClaim({ instances: [X] })])
    expect(log.append([deltaOf({ addInstances: [X] })])).toEqual(['report.gap'])
    expect(stateOf(log, 'k1.0')).toBe('RESERVED')
  })

  test('a delta cannot move an instance whose CPUs and GPUs the report counts: nobody would count them', () => {
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

  test('a delta of a standard class counts in an inventory of its own too', () => {
    const log = aLog()
    log.append([aReport('h1', { inventories: [{ resourceClass: 'VCPU', total: 2, used: 0 }] })])
    log.append([deltaOf({ vcpusUsed: 2 })])
    expect(free(log)).toBe(0)
  })

  test('a group is forgotten with its last member, and bound anew by the next', () => {
    const log = twoHosts()
    const group = (policy: 'AFFINITY' | 'ANTI_AFFINITY') => ({ uuid: aUuid(7), policy, maxServerPerHost: null })
    log.append([aClaim({ key: 'a', group: group('AFFINITY') })])
    expect(log.append([aClaim({ key: 'b', group: group('ANTI_AFFINITY') })])).toEqual(['claim.group_mismatch'])
    const { fence } = log.fleet.ledger.claims.get('a.0') ?? { fence: 0 }
    log.append([{ type: 'release', claim: 'a.0', fence, reason: null }])
    expect(log.fleet.groups.byUuid.size).toBe(0)
    expect(log.append([aClaim({ key: 'c', group: group('ANTI_AFFINITY') })])).toEqual([undefined])
  })

  test('a checkpoint is a picture: it does not move on with the fleet', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a' })])
    const checkpoint = checkpointOf(log.fleet)
    const before = canonicalJson(checkpoint)
    const { fence } = log.fleet.ledger.claims.get('a.0') ?? { fence: 0 }
    log.append([{ type: 'release', claim: 'a.0', fence, reason: null }])
    expect(canonicalJson(checkpoint)).toBe(before)
  })

  test('an instance is the same in upper and lower case', () => {
    const upper = 'ABCDEFAB-0000-4000-8000-00000000000A'
    expect(aRequest({ instanceUuids: [upper] }).instanceUuids).toEqual([upper.toLowerCase()])
    expect(aReport('h1', { instances: [upper] }).full?.instances).toEqual([upper.toLowerCase()])
  })

  test('stale sequences and stale incarnations are ignored', () => {
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

  test('an instance that runs on after its claim ended keeps what its host does not count', () => {
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

describe('rule 8: edits', () => {
  test('a claim decided before an edit of its host is void, on another host it counts', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([disable])
    expect(log.append([aClaim({ key: 'a' }), aClaim({ key: 'b', hosts: ['h2'] })], { basis })).toEqual(['claim.edited', undefined])
    expect(log.append([aClaim({ key: 'a' })])).toEqual([undefined])
  })

  test('one edited host makes the whole proposal void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([disable])
    expect(log.append([aClaim({ hosts: ['h2', 'h1'] })], { basis })).toEqual(['claim.edited'])
    expect(free(log, 'h2')).toBe(4)
  })

  test('an aggregate edit touches members before and after it', () => {
    const log = twoHosts()
    const edit = (expectedVersion: number, hosts: readonly string[]): Change => ({
      type: 'aggregate',
      uuid: aUuid(5),
      expectedVersion,
      next: { name: 'a', metadata: {}, hosts },
    })
    log.append([edit(0, ['h1'])])
    const basis = log.fleet.place
    log.append([edit(1, ['h2'])])
    expect(log.append([aClaim({ key: 'a' }), aClaim({ key: 'b', hosts: ['h2'] })], { basis })).toEqual(['claim.edited', 'claim.edited'])
  })

  test('reports and other claims since the basis void nothing by themselves', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([aReport('h1', { vcpus: 4 }, 2), aClaim({ key: 'a' })])
    expect(log.append([aClaim({ key: 'b' })], { basis })).toEqual([undefined])
  })
})

describe("rule 9: the caller's last word", () => {
  test('abandon binds an unused key: an earlier copy of the call that lands later is void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    expect(log.append([abandon('k1')])).toEqual([undefined])
    expect(log.append([aClaim()], { basis })).toEqual(['claim.key_used'])
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer).toBeNull()
  })

  test('abandon releases every part that a used key holds, and may come again', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: ['h1', 'h2'] })])
    log.append([{ type: 'confirm', claim: 'k1.1', fence: fenceOf(log, 'k1.1') }])
    expect(log.append([abandon('k1'), abandon('k1')])).toEqual([undefined, undefined])
    expect([stateOf(log, 'k1.0'), stateOf(log, 'k1.1'), free(log), free(log, 'h2')]).toEqual(['RELEASED', 'RELEASED', 4, 4])
  })

  test('a released key still answers with its claims until it is forgotten', () => {
    const log = twoHosts()
    log.append([aClaim()])
    log.append([abandon('k1')])
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer).toHaveLength(1)
    expect(log.append([aClaim()])).toEqual(['claim.key_used'])
  })
})

describe('rule 11: keys end by log time, and are capped', () => {
  test('a key lives with its claims and for an hour after the last of them', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: ['h1', 'h2'], mode: 'CONFIRM' })], { at: 1_000 })
    log.append([{ type: 'release', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), reason: null }], { at: 2_000 })
    log.append([], { at: 10 * HOUR })
    expect(log.fleet.ledger.findKey('acme', 'k1')?.forgottenAt).toBeNull()
    log.append([{ type: 'release', claim: 'k1.1', fence: fenceOf(log, 'k1.1'), reason: null }], { at: 10 * HOUR })
    log.append([], { at: 10 * HOUR + KEY_AFTERLIFE_MS - 1 })
    expect([log.fleet.ledger.keyCount, log.fleet.ledger.claims.size]).toEqual([1, 2])
    log.append([], { at: 10 * HOUR + KEY_AFTERLIFE_MS })
    expect([log.fleet.ledger.keyCount, log.fleet.ledger.claims.size]).toEqual([0, 0])
  })

  test('a key that was bound anew does not keep the claims of its first life', () => {
    const log = aLog()
    const X = aUuid(1)
    log.append([aReport('h1', { instances: [X] })])
    log.append([aClaim({ key: 'k', instances: [X] })])
    log.append([abandon('k')])
    log.append([], { at: 2 * HOUR })
    log.append([aClaim({ key: 'k', ids: ['second'] }), aReport('h1', { instances: [] }, 2)])
    expect([...log.fleet.ledger.claims.keys()]).toEqual(['second'])
  })

  test('a proposal without parts binds its key for an hour, not for ever', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: [] })])
    log.append([], { at: 2 * HOUR })
    expect(log.fleet.ledger.keyCount).toBe(0)
  })

  test('beyond the cap new keys are void with a code, and forgetting makes room', () => {
    const log = twoHosts()
    const { ledger } = log.fleet
    for (let i = 0; i < KEY_CAP; i++)
      ledger.bind({
        account: 'acme',
        key: `k${i}`,
        digest: '',
        answer: null,
        claims: [],
        decision: null,
        revision: 1,
        boundAt: 0,
        forgottenAt: HOUR,
      })
    expect(log.append([aClaim({ key: 'one more' }), abandon('one more'), aClaim({ key: 'k5' }), abandon('k5')])).toEqual([
      'claim.key_cap',
      'claim.key_cap',
      'claim.key_used',
      undefined,
    ])
    log.append([], { at: HOUR })
    expect(log.append([aClaim({ key: 'one more' })])).toEqual([undefined])
  })
})

describe('rule 11: a checkpoint holds all that the judge reads', () => {
  /** What happens before the checkpoint, and what only a whole checkpoint judges rightly after it. */
  const rows: Readonly<
    Record<
      string,
      {
        readonly before: (log: TestLog) => void
        readonly after: (log: TestLog) => readonly Change[]
        readonly expected: readonly (string | undefined)[]
        readonly basis?: number
        readonly id?: string
      }
    >
  > = {
    'the places of the log': { before: (log) => void log.append([]), after: () => [aClaim()], basis: 1, expected: [undefined] },
    'the ids of entries': {
      before: (log) => void log.append([aClaim()], { id: 'sent' }),
      after: () => [aClaim()],
      id: 'sent',
      expected: ['entry.repeated'],
    },
    'keys with their answers': {
      before: (log) => void log.append([aClaim()]),
      after: () => [aClaim({ ids: ['x'] })],
      expected: ['claim.key_used'],
    },
    'abandoned keys': { before: (log) => void log.append([abandon('k1')]), after: () => [aClaim()], expected: ['claim.key_used'] },
    'the last edit of each host': {
      before: (log) => void log.append([disable]),
      after: () => [aClaim()],
      basis: 1,
      expected: ['claim.edited'],
    },
    'incarnations and sequences': {
      before: (log) => void log.append([{ ...aReport('h1', {}, 7), incarnation: aUuid(2) }]),
      after: () => [aReport('h1', {}, 99), { ...aReport('h1', {}, 7), incarnation: aUuid(2) }],
      expected: ['report.stale', 'report.stale'],
    },
    'the policy of groups': {
      before: (log) => void log.append([aClaim({ group: { uuid: aUuid(1), policy: 'AFFINITY', maxServerPerHost: null } })]),
      after: () => [aClaim({ key: 'b', group: { uuid: aUuid(1), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } })],
      expected: ['claim.group_mismatch'],
    },
    'the members of groups': {
      before: (log) => void log.append([aClaim({ group: { uuid: aUuid(1), policy: 'AFFINITY', maxServerPerHost: null } })]),
      after: () => [aClaim({ key: 'b', hosts: ['h2'], group: { uuid: aUuid(1), policy: 'AFFINITY', maxServerPerHost: null } })],
      expected: ['claim.group_rule'],
    },
    'ended claims while their key lives': {
      before: (log) => {
        log.append([aClaim()])
        log.append([abandon('k1')])
      },
      after: (log) => [{ type: 'release', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), reason: null }],
      expected: [undefined],
    },
    'ends of reservations': {
      before: (log) => void log.append([aClaim({ ttlMs: 9_999 })]),
      after: () => [expire('k1.0')],
      expected: ['claim.not_expired'],
    },
    'the time of the log': {
      before: (log) => void log.append([], { at: 50_000 }),
      after: () => [aClaim({ notAfter: 40_000 })],
      expected: ['claim.deadline'],
    },
    'versions of profiles': {
      before: () => undefined,
      after: () => [{ type: 'activate', name: 'mine', number: 1 }],
      expected: ['profile.unknown'],
    },
    'aggregates with their versions': {
      before: (log) =>
        void log.append([{ type: 'aggregate', uuid: aUuid(5), expectedVersion: 0, next: { name: 'a', metadata: {}, hosts: ['h1'] } }]),
      after: () => [{ type: 'aggregate', uuid: aUuid(5), expectedVersion: 0, next: null }],
      expected: ['aggregate.version'],
    },
  }

  test.each(Object.entries(rows))('%s', (_name, { before, after, expected, basis, id }) => {
    const log = twoHosts()
    before(log)
    const restored = restoreFleet(stored(log.fleet))
    const [head, at] = [log.entries.length, 1_000]
    const entry: LogEntry = {
      format: 1,
      id: id ?? 'after',
      writer: 't',
      basis: basis === undefined ? log.fleet.place : (log.fleet.places.get(basis) as Place),
      revision: head + 1,
      at,
      changes: after(log),
    }
    expect(restored.apply(entry)).toEqual(expected)
    expect(log.fleet.apply(entry)).toEqual(expected)
    expect(stored(restored)).toEqual(stored(log.fleet))
  })

  test('the origin is a basis no longer than in the fleet that it was taken of', () => {
    const log = twoHosts()
    while (log.entries.length < 2 * PLACE_WINDOW) log.append([])
    const restored = restoreFleet(stored(log.fleet))
    const origin: Place = { revision: 0, id: '', at: 0 }
    expect([log.fleet.knows(origin), restored.knows(origin)]).toEqual([false, false])
    expect(stored(restored)).toEqual(stored(log.fleet))
  })

  test('an ended claim whose instance came later holds nothing, in a restored fleet too', () => {
    const log = aLog()
    const X = aUuid(1)
    const shape = (instances: string[]) => ({ inventories: [{ resourceClass: 'CUSTOM_X', total: 2 }], instances })
    log.append([aReport('h1', shape([]))])
    log.append([aClaim({ key: 'a', instances: [X], grants: { classes: { CUSTOM_X: 1 } } })])
    log.append([abandon('a')])
    log.append([aClaim({ key: 'b', instances: [X], grants: { classes: { CUSTOM_X: 1 } } }), aReport('h1', shape([X]), 2)])
    const restored = restoreFleet(stored(log.fleet))
    expect([log.fleet, restored].map(({ hosts }) => hosts.classColumns('CUSTOM_X').free[0])).toEqual([1, 1])
  })

  test('a checkpoint of another format is refused with both formats', () => {
    const checkpoint = stored(twoHosts().fleet)
    expect(() => restoreFleet({ ...checkpoint, format: 3 as 1 })).toThrow('has format 3; this release reads formats 1 to 2')
  })
})

describe('an entry of a newer release', () => {
  const next = (log: TestLog, parts: object): LogEntry => ({
    ...({
      format: 1,
      id: 'new',
      writer: 't',
      basis: log.fleet.place,
      revision: log.entries.length + 1,
      at: 1_000,
      changes: [],
    } satisfies LogEntry),
    ...parts,
  })
  test.each<[string, object, RegExp]>([
    ['of another format', { format: 2 }, /has format 2; this release reads format 1/],
    ['with a change that is not known', { changes: [{ type: 'claims', parts: [] }, { type: 'morph' }] }, /change of type morph/],
    [
      'that raises the feature level too high',
      { changes: [{ type: 'feature', level: FEATURE_LEVEL + 1 }] },
      new RegExp(`raises the feature level to ${FEATURE_LEVEL + 1}`),
    ],
  ])('%s is refused whole, and the fleet stays as it was', (_name, parts, message) => {
    const log = twoHosts()
    const before = stored(log.fleet)
    expect(() => log.fleet.apply(next(log, parts))).toThrow(UnknownEntryError)
    expect(() => log.fleet.apply(next(log, parts))).toThrow(message)
    expect(stored(log.fleet)).toEqual(before)
  })
})

test('claim ids are never used twice, in the log or in one proposal', () => {
  const log = twoHosts()
  log.append([aClaim({ key: 'a', grants: passing })])
  const again: ClaimsProposed = aClaim({ key: 'b', ids: ['a.0'] })
  expect(log.append([again, aClaim({ key: 'b', hosts: ['h1', 'h2'], ids: ['x', 'x'] })])).toEqual(['claim.id_taken', 'claim.id_taken'])
})
