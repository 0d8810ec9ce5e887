import { describe, expect, test, vi } from 'vitest'
import { type Change, ENTRY_FORMAT, FEATURE_LEVEL, type LogEntry } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid, type TestLog } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { checkpointOf } from './checkpoint.ts'
import { copyFleet } from './copy.ts'
import type { Fleet } from './fleet.ts'
import { openOverlay } from './overlay.ts'

const HOSTS = 2_000
/** At most this many hosts can be read or written between two yields. */
const MAX_HOSTS_PER_STEP = 600
const names = Array.from({ length: HOSTS }, (_, i) => `h${i}`)

/** A log with many hosts at level 1. Every tenth host has a claim, and all hosts are in one aggregate without a zone. */
function aTown(): TestLog {
  const log = aLog()
  log.append(names.map((name) => aReport(name)))
  log.append([{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 0, next: { name: 'all', hosts: names, metadata: {} } }])
  log.append(names.filter((_, i) => i % 10 === 0).map((name) => aClaim({ key: name, hosts: [name], mode: 'CONFIRM' })))
  return log
}

const nextOf = ({ place }: Fleet, changes: readonly Change[]): LogEntry => ({
  format: ENTRY_FORMAT,
  id: 'next',
  writer: 'test',
  basis: place,
  changes,
  revision: place.revision + 1,
  at: place.at,
})

const zone = (hosts: readonly string[]) => ({ name: 'zone', hosts, metadata: { availability_zone: 'z1' } })

const rows: readonly (readonly [string, readonly Change[]])[] = [
  ['reports of every host', names.map((name) => aReport(name, { vcpusUsed: 1 }, 2))],
  ['an aggregate that every host joins', [{ type: 'aggregate', uuid: aUuid(2), expectedVersion: 0, next: zone(names) }]],
  ['an aggregate that every host leaves', [{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next: { ...zone([]), name: 'all' } }]],
  ['an aggregate that is deleted', [{ type: 'aggregate', uuid: aUuid(1), expectedVersion: 1, next: null }]],
  ['a feature level that recounts all hosts and claims', [{ type: 'feature', level: FEATURE_LEVEL }]],
  [
    'a host that is forgotten',
    [
      { type: 'feature', level: FEATURE_LEVEL },
      { type: 'forget', hosts: ['h1', 'h2', 'h3'].map((host) => ({ host, node: host })), isForced: false, reason: 'sold' },
    ],
  ],
  [
    'hosts that get the names of other hosts, and a host that gets a new name',
    [
      { type: 'feature', level: FEATURE_LEVEL },
      {
        type: 'replace',
        hosts: [
          { from: { host: 'h1', node: 'h1' }, to: { host: 'h2', node: 'h2' } },
          { from: { host: 'h3', node: 'h3' }, to: { host: 'new', node: 'new' } },
        ],
        reason: 'another board',
      },
    ],
  ],
  [
    'changes that are partly void',
    [
      { type: 'aggregate', uuid: aUuid(1), expectedVersion: 7, next: null },
      { type: 'aggregate', uuid: aUuid(2), expectedVersion: 0, next: zone(names.slice(0, 1_000)) },
      {
        type: 'aggregate',
        uuid: aUuid(3),
        expectedVersion: 0,
        next: { ...zone(names), name: 'other', metadata: { availability_zone: 'z2' } },
      },
      aClaim({ key: 'last', hosts: ['h3'] }),
    ],
  ],
]

describe('an entry that is applied in steps', () => {
  test.each(rows)(
    'writes few hosts between two yields, and has the same result as an entry that is applied at once: %s',
    (_name, changes) => {
      const { fleet } = aTown()
      const other = copyFleet(fleet)
      const verdicts = other.apply(nextOf(other, changes))
      const looks = [
        vi.spyOn(fleet.hosts, 'own'),
        vi.spyOn(fleet.hosts, 'touch'),
        vi.spyOn(fleet.hosts, 'nodesOf'),
        vi.spyOn(fleet.aggregates, 'of'),
      ]
      let most = 0
      const steps = fleet.applyInSteps(nextOf(fleet, changes))
      let step = steps.next()
      for (; ; step = steps.next()) {
        most = Math.max(most, ...looks.map(({ mock }) => mock.calls.length))
        for (const look of looks) look.mockClear()
        if (step.done) break
      }
      expect(step.value).toEqual(verdicts)
      expect(canonicalJson(checkpointOf(fleet))).toBe(canonicalJson(checkpointOf(other)))
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThan(MAX_HOSTS_PER_STEP)
    },
  )

  test('while an entry is applied in steps, the fleet is locked', () => {
    const { fleet } = aTown()
    const entry = nextOf(fleet, rows[0]?.[1] ?? [])
    const steps = fleet.applyInSteps(entry)
    steps.next()
    expect(() => copyFleet(fleet)).toThrow('cannot be copied')
    expect(() => openOverlay(fleet)).toThrow('has an open overlay')
    expect(() => fleet.apply({ ...entry, revision: entry.revision + 1 })).toThrow('another entry is being applied')
    while (steps.next().done !== true);
    expect(copyFleet(fleet).place.revision).toBe(entry.revision)
  })

  test('a fleet cannot be used if applying an entry is ended early', () => {
    const { fleet } = aTown()
    const steps = fleet.applyInSteps(nextOf(fleet, rows[0]?.[1] ?? []))
    steps.next()
    steps.return([])
    expect(() => copyFleet(fleet)).toThrow('cannot be copied')
  })

  test('an entry whose revision is not the next one is refused before the fleet is written', () => {
    const { fleet } = aTown()
    const entry = nextOf(fleet, [])
    expect(() => fleet.applyInSteps({ ...entry, revision: entry.revision + 1 }).next()).toThrow(RangeError)
    expect(copyFleet(fleet).place).toEqual(fleet.place)
  })
})
