import { describe, expect, test } from 'vitest'
import { restoreFleet } from '../../fleet/checkpoint.ts'
import { PLACE_WINDOW } from '../../fleet/fleet.ts'
import type { Change, LogEntry } from '../../records/change.ts'
import type { Place } from '../../records/place.ts'
import { aClaim, aLog, aReport, aUuid, type TestLog } from '../../testing/index.ts'
import { abandon, disable, expire, fenceOf, stored, twoHosts } from '../testing/two-hosts.ts'

describe('rule 11: a checkpoint contains everything that the judge reads', () => {
  /** `before`: changes before the checkpoint. `after`: changes that are judged correctly only if the checkpoint is complete. */
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

  test('revision 0 is a valid basis until the same revision in a restored fleet as in the original fleet', () => {
    const log = twoHosts()
    while (log.entries.length < 2 * PLACE_WINDOW) log.append([])
    const restored = restoreFleet(stored(log.fleet))
    const origin: Place = { revision: 0, id: '', at: 0 }
    expect([log.fleet.knows(origin), restored.knows(origin)]).toEqual([false, false])
    expect(stored(restored)).toEqual(stored(log.fleet))
  })

  test('an ended claim whose instance was first listed after the end holds nothing, even in a restored fleet', () => {
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

  test('a checkpoint of another format is refused with an error that names both formats', () => {
    const checkpoint = stored(twoHosts().fleet)
    expect(() => restoreFleet({ ...checkpoint, format: 3 as 1 })).toThrow('has format 3; this release reads formats 1 to 2')
  })
})
