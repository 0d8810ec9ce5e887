import { describe, expect, test } from 'vitest'
import { restoreFleet } from '../fleet/checkpoint.ts'
import { PLACE_WINDOW, UnknownEntryError } from '../fleet/fleet.ts'
import { type Change, type ClaimsProposed, FEATURE_LEVEL, type LogEntry } from '../records/change.ts'
import type { Place } from '../records/place.ts'
import { aClaim, aReport, aUuid, type TestLog } from '../testing/index.ts'
import { abandon, disable, expire, fenceOf, free, passing, stateOf, stored, twoHosts } from './testing/two-hosts.ts'

describe('rule 1: an entry with an unknown basis is void', () => {
  test('an entry with an earlier time stamp than its predecessor is a valid basis, and log time does not go back', () => {
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
    ['an id other than that of the head', (head) => ({ ...head, id: 'other' })],
    ['a stamp other than that of the head', (head) => ({ ...head, at: head.at + 1 })],
    ['an earlier revision and the id of the head', (head) => ({ ...head, revision: head.revision - 1 })],
    ['a future revision', (head) => ({ ...head, revision: head.revision + 1 })],
  ])('a basis with %s makes the entire entry void, including edits and reports', (_name, lie) => {
    const log = twoHosts()
    const basis = lie(log.fleet.place)
    const before = stored(log.fleet)
    const verdicts = log.append([disable, aReport('h1', {}, 2), aClaim(), abandon('k9')], { basis })
    expect(verdicts).toEqual(['entry.basis', 'entry.basis', 'entry.basis', 'entry.basis'])
    const { place: _, places: __, ...after } = stored(log.fleet)
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'place' && name !== 'places')))
  })

  test('a void entry has a revision, and the next entry has the next revision', () => {
    const log = twoHosts()
    log.append([aClaim()], { basis: { revision: 1, id: 'other', at: 1_000 }, id: 'void' })
    expect(log.fleet.place).toEqual({ revision: 2, id: 'void', at: 1_000 })
    expect(log.append([aClaim()])).toEqual([undefined])
  })

  test('an entry whose revision is not the next one is rejected', () => {
    const log = twoHosts()
    const entry = { ...(log.entries[0] as LogEntry), id: 'x' }
    expect(() => log.fleet.apply({ ...entry, revision: 3 })).toThrow(RangeError)
    expect(() => log.fleet.apply({ ...entry, revision: 1 })).toThrow(RangeError)
  })
})

describe('rule 2: each proposal of an entry is judged after the proposals before it', () => {
  test('of two proposals with the same key in one entry, the second is void', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ key: 'k' }), aClaim({ key: 'k', hosts: ['h2'], ids: ['other'] })])).toEqual([undefined, 'claim.key_used'])
    expect([free(log), free(log, 'h2')]).toEqual([3, 4])
  })

  test('if two proposals in one entry need the last free capacity, the second is void', () => {
    const log = twoHosts()
    const grants = { classes: { VCPU: 3 } }
    expect(log.append([aClaim({ key: 'a', grants }), aClaim({ key: 'b', grants })])).toEqual([undefined, 'claim.no_room'])
  })
})

describe('rule 3: the fence of a claim is computed when its entry is applied', () => {
  test('a fence is computed from the revision and the index in the entry, and increases along the log', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', hosts: ['h1', 'h2'] }), aClaim({ key: 'b' })])
    log.append([aClaim({ key: 'c' })])
    expect(['a.0', 'a.1', 'b.0', 'c.0'].map((id) => fenceOf(log, id))).toEqual([131_072, 131_073, 131_074, 196_608])
  })

  test('a void proposal uses up its fences, so that fences depend only on the position in the log', () => {
    const log = twoHosts()
    log.append([aClaim({ key: 'a', grants: { classes: { VCPU: 99 } }, hosts: ['h1', 'h1'] }), aClaim({ key: 'b' })])
    expect(fenceOf(log, 'b.0')).toBe(131_074)
  })

  test('a confirm change does not change the fence, and confirm, extend and release changes with another fence are void', () => {
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

describe('rule 4: an expire change counts only if the reservation is over', () => {
  const reserved = (): TestLog => {
    const log = twoHosts()
    log.append([aClaim({ ttlMs: 500 })], { at: 2_000 })
    return log
  }

  test('an expire change is void before the end of the reservation, and counts at the end', () => {
    const log = reserved()
    expect(log.append([expire('k1.0')], { at: 2_499 })).toEqual(['claim.not_expired'])
    expect(log.append([expire('k1.0')], { at: 2_500 })).toEqual([undefined])
    expect([stateOf(log, 'k1.0'), free(log)]).toEqual(['EXPIRED', 4])
  })

  test('after a reservation was extended, an expire change at its former end is void', () => {
    const log = reserved()
    log.append([{ type: 'extend', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), ttlMs: 500 }], { at: 2_400 })
    expect(log.append([expire('k1.0')], { at: 2_600 })).toEqual(['claim.not_expired'])
    expect(log.append([expire('k1.0')], { at: 2_900 })).toEqual([undefined])
  })

  test('an extend change never shortens a reservation', () => {
    const log = reserved()
    log.append([{ type: 'extend', claim: 'k1.0', fence: fenceOf(log, 'k1.0'), ttlMs: 1 }], { at: 2_001 })
    expect(log.fleet.ledger.claims.get('k1.0')?.expiresAt).toBe(2_500)
  })

  test('if the log has a confirm change and an expire change of one claim, the first one counts', () => {
    const [confirmed, expired] = [reserved(), reserved()]
    const confirm: Change = { type: 'confirm', claim: 'k1.0', fence: fenceOf(confirmed, 'k1.0') }
    expect(confirmed.append([confirm, expire('k1.0')], { at: 9_000 })).toEqual([undefined, 'claim.not_expired'])
    expect(expired.append([expire('k1.0'), confirm], { at: 9_000 })).toEqual([undefined, 'claim.lost'])
  })

  test('if the time stamp of an entry goes back, a reservation still expires at its end', () => {
    const log = reserved()
    log.append([], { at: 2_500 })
    expect(log.append([expire('k1.0')], { at: 1 })).toEqual([undefined])
  })

  test('a proposal whose deadline is before the time stamp of its entry is void', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ notAfter: 4_999 })], { at: 5_000 })).toEqual(['claim.deadline'])
    expect(log.append([aClaim({ notAfter: 5_000 })], { at: 5_000 })).toEqual([undefined])
  })
})

describe('rule 5: a void proposal binds no key', () => {
  test.each<[string, (log: TestLog) => Change, string]>([
    ['an amount that does not fit', () => aClaim({ key: 'k', grants: { classes: { VCPU: 99 } } }), 'claim.no_room'],
    ['a deadline that passed', () => aClaim({ key: 'k', notAfter: 1 }), 'claim.deadline'],
    ['a host that does not exist', () => aClaim({ key: 'k', hosts: ['h9'] }), 'claim.no_room'],
  ])('a proposal with %s leaves the key free', (_name, make, code) => {
    const log = twoHosts()
    expect(log.append([make(log)])).toEqual([code])
    expect(log.fleet.ledger.findKey('acme', 'k')).toBeUndefined()
    expect(log.append([aClaim({ key: 'k' })])).toEqual([undefined])
  })

  test('if one part of a proposal is refused, the amounts of the parts before it are free again', () => {
    const log = twoHosts()
    const group = { uuid: aUuid(1), policy: 'ANTI_AFFINITY', maxServerPerHost: 1 } as const
    expect(log.append([aClaim({ hosts: ['h1', 'h2', 'h2'], group })])).toEqual(['claim.group_rule'])
    expect([free(log), free(log, 'h2'), log.fleet.groups.find(group.uuid)]).toEqual([4, 4, undefined])
  })

  test('two accounts may use the same key', () => {
    const log = twoHosts()
    expect(log.append([aClaim({ key: 'k' }), aClaim({ key: 'k', account: 'other', ids: ['o'] })])).toEqual([undefined, undefined])
  })
})

describe('rule 6: an entry whose outcome is unknown can be sent again', () => {
  test('the second copy of an entry is void, both directly after the first and much later', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    expect(log.append([aClaim()], { basis, id: 'twice' })).toEqual([undefined])
    log.append([abandon('other')])
    expect(log.append([aClaim()], { basis, id: 'twice' })).toEqual(['entry.repeated'])
    expect(log.append([disable], { id: 'twice' })).toEqual(['entry.repeated'])
    expect(free(log)).toBe(3)
  })

  test('an entry whose basis is the oldest remembered position counts, and an entry with an older basis is void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    while (log.entries.length < PLACE_WINDOW) log.append([])
    expect(log.append([aClaim({ key: 'a' })], { basis })).toEqual([undefined])
    expect(log.append([aClaim({ key: 'b' })], { basis })).toEqual(['entry.basis'])
  })

  test('a copy of an entry whose id is forgotten is void, because its basis is forgotten too', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([aClaim({ ttlMs: 1 })], { basis, id: 'late' })
    while (log.fleet.revisionOf('late') !== undefined) log.append([])
    expect(log.append([aClaim({ key: 'again', ids: ['x'] })], { basis, id: 'late' })).toEqual(['entry.basis'])
  })

  test('an entry id that occurs twice is remembered until the position of its second entry is forgotten, even in a restored fleet', () => {
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
  test('a claim decided before an edit of its host is void, and a claim on another host counts', () => {
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

  test('an edit of an aggregate voids claims on its former and its new members', () => {
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

  test('reports and other claims after the basis of a claim do not make the claim void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    log.append([aReport('h1', { vcpus: 4 }, 2), aClaim({ key: 'a' })])
    expect(log.append([aClaim({ key: 'b' })], { basis })).toEqual([undefined])
  })
})

describe('rule 9: abandoned keys', () => {
  test('an abandon change binds an unused key, so that a delayed copy of the call is void', () => {
    const log = twoHosts()
    const basis = log.fleet.place
    expect(log.append([abandon('k1')])).toEqual([undefined])
    expect(log.append([aClaim()], { basis })).toEqual(['claim.key_used'])
    expect(log.fleet.ledger.findKey('acme', 'k1')?.answer).toBeNull()
  })

  test('an abandon change releases all claims of a used key, and can be repeated', () => {
    const log = twoHosts()
    log.append([aClaim({ hosts: ['h1', 'h2'] })])
    log.append([{ type: 'confirm', claim: 'k1.1', fence: fenceOf(log, 'k1.1') }])
    expect(log.append([abandon('k1'), abandon('k1')])).toEqual([undefined, undefined])
    expect([stateOf(log, 'k1.0'), stateOf(log, 'k1.1'), free(log), free(log, 'h2')]).toEqual(['RELEASED', 'RELEASED', 4, 4])
  })

  test('a key whose claims are released still lists them until it is forgotten', () => {
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
  ])('an entry %s is refused entirely, and the fleet is unchanged', (_name, parts, message) => {
    const log = twoHosts()
    const before = stored(log.fleet)
    expect(() => log.fleet.apply(next(log, parts))).toThrow(UnknownEntryError)
    expect(() => log.fleet.apply(next(log, parts))).toThrow(message)
    expect(stored(log.fleet)).toEqual(before)
  })
})

test('a proposal is void if it uses a claim id of the log or uses a claim id twice', () => {
  const log = twoHosts()
  log.append([aClaim({ key: 'a', grants: passing })])
  const again: ClaimsProposed = aClaim({ key: 'b', ids: ['a.0'] })
  expect(log.append([again, aClaim({ key: 'b', hosts: ['h1', 'h2'], ids: ['x', 'x'] })])).toEqual(['claim.id_taken', 'claim.id_taken'])
})
