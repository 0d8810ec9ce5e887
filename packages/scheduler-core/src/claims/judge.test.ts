import { describe, expect, test } from 'vitest'
import { restoreFleet } from '../fleet/checkpoint.ts'
import { PLACE_WINDOW, UnknownEntryError } from '../fleet/fleet.ts'
import { type Change, type ClaimsProposed, FEATURE_LEVEL, type LogEntry } from '../records/change.ts'
import type { Place } from '../records/place.ts'
import { aClaim, aReport, aUuid, type TestLog } from '../testing/index.ts'
import { abandon, disable, expire, fenceOf, free, passing, stateOf, stored, twoHosts } from './testing/two-hosts.ts'

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
    ['a future revision', (head) => ({ ...head, revision: head.revision + 1 })],
  ])('a basis with %s makes the entry void whole, edits and reports too', (_name, lie) => {
    const log = twoHosts()
    const basis = lie(log.fleet.place)
    const before = stored(log.fleet)
    const verdicts = log.append([disable, aReport('h1', {}, 2), aClaim(), abandon('k9')], { basis })
    expect(verdicts).toEqual(['entry.basis', 'entry.basis', 'entry.basis', 'entry.basis'])
    const { place: _, places: __, ...after } = stored(log.fleet)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'place' && name !== 'places')))
  })

  test('a void entry has its position in the log nevertheless: the next one follows it', () => {
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

  test('two proposals of one entry on the head may need the last room: the second is void', () => {
    const log = twoHosts()
    const grants = { classes: { VCPU: 3 } }
    expect(log.append([aClaim({ key: 'a', grants }), aClaim({ key: 'b', grants })])).toEqual([undefined, 'claim.no_room'])
  })
})

describe('rule 3: the fence is set by apply', () => {
  test('it is computed from the revision and the index in the entry, and rises with the log', () => {
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

  test('if both a confirm and an expire are in the log, the first one counts', () => {
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
    ['a host that does not exist', () => aClaim({ key: 'k', hosts: ['h9'] }), 'claim.no_room'],
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

describe('rule 9: abandoned keys', () => {
  test('abandon binds an unused key: an earlier copy of the call that lands later is void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    expect(log.append([abandon('k1')])).toEqual([undefined])
    expect(log.append([aClaim()], { basis })).toEqual(['claim.key_used'])
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer).toBeNull()
  })

  test('abandon releases every part that a used key holds, and may be repeated', () => {
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
    ['with an unknown change', { changes: [{ type: 'claims', parts: [] }, { type: 'morph' }] }, /change of type morph/],
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
