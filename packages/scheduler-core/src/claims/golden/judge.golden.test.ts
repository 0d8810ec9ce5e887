import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Checkpoint, checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import type { LogEntry } from '../../records/change.ts'
import { type Code, codes } from '../../text/codes.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

// Do not change judge.golden.jsonl: it fixes the frozen rules of the judge. If they changed, replicas of two releases would disagree about
// the outcomes of old log entries.

interface Step {
  readonly about: string
  readonly verdicts: readonly (Code | 'counts')[]
  readonly entry: LogEntry
}

interface Golden {
  readonly steps: readonly Step[]
  readonly end: { readonly summary: unknown; readonly sha256: string }
}

function read(file: string): Golden {
  const lines = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return { steps: lines.slice(1, -1).map((line) => JSON.parse(line)), end: JSON.parse(lines.at(-1) ?? '') }
}

const { steps, end } = read('./judge.golden.jsonl')

const verdictsOf = (fleet: Fleet, entry: LogEntry) => fleet.apply(entry).map((verdict) => verdict ?? 'counts')
const sha256 = (fleet: Fleet): string =>
  createHash('sha256')
    .update(canonicalJson(checkpointOf(fleet)))
    .digest('hex')

function summaryOf({ place, now, ledger, hosts }: Fleet) {
  const free = (resourceClass: string) =>
    Object.fromEntries(hosts.records.map(({ host, index }) => [host, at(hosts.classColumns(resourceClass).free, index)]))
  return {
    place,
    now,
    claims: Object.fromEntries([...ledger.claims.values()].map(({ id, state }) => [id, state])),
    keys: [...ledger.keys()].map(({ account, key }) => (account === 'acme' ? key : `${account}/${key}`)),
    vcpuFree: free('VCPU'),
    memoryFree: free('MEMORY_MB'),
  }
}

describe('the frozen rule', () => {
  const fleet = new Fleet()
  test.each(steps)('entry $entry.revision: $about', ({ entry, verdicts }) => {
    expect(verdictsOf(fleet, entry)).toEqual(verdicts)
  })

  test('applying the log gives exactly the recorded state', () => {
    expect(summaryOf(fleet)).toEqual(end.summary)
    expect(sha256(fleet)).toBe(end.sha256)
  })

  test('the log has a void change for every code of the judge that no other test covers', () => {
    const judged = new Set<string>(steps.flatMap(({ verdicts }) => verdicts))
    const voids = (Object.keys(codes) as Code[]).filter((code) =>
      /^(entry|claim|report|group\.(unknown|version|conflict)|aggregate\.(version|name_taken|zone_conflict)|profile\.(version|unknown)$)/.test(
        code,
      ),
    )
    // The log of this test does not contain the codes in this list, which are tested in other files. judge.test.ts tests `claim.key_cap`,
    // because the limit of a million keys would make this file too large. The log judge.golden.instances.jsonl covers two codes of level 8.
    // fleet/leave.test.ts tests the codes of hosts that leave (level 9). judge-listed.test.ts tests `claim.not_listed` (level 10).
    // kinds/classes/class-limit.test.ts tests `report.too_many_classes` (level 10).
    const others = [
      ...['claim.key_cap', 'claim.instance_taken', 'claim.key_limits', 'claim.not_listed'],
      ...['report.host_forgotten', 'report.host_replaced', 'report.too_many_classes'],
    ]
    expect(voids.filter((code) => !judged.has(code)).sort()).toEqual(others.sort())
  })

  test('a fleet restored at any position of the log continues identically', () => {
    const original = new Fleet()
    for (const [i, { entry }] of steps.entries()) {
      original.apply(entry)
      const stored: Checkpoint = JSON.parse(canonicalJson(checkpointOf(original)))
      const restored = restoreFleet(stored)
      expect(canonicalJson(checkpointOf(restored))).toBe(canonicalJson(checkpointOf(original)))
      for (const later of steps.slice(i + 1))
        expect([later.about, verdictsOf(restored, later.entry)]).toEqual([later.about, later.verdicts])
      expect(sha256(restored)).toBe(end.sha256)
    }
  })
})

// Pools have a separate log, because the log of the frozen rule must not change.
describe('the frozen rule of pools', () => {
  const pools = read('./judge.golden.pools.jsonl')
  const fleet = new Fleet()
  test.each(pools.steps)('entry $entry.revision: $about', ({ entry, verdicts }) => {
    expect(verdictsOf(fleet, entry)).toEqual(verdicts)
  })

  test('applying the log gives exactly the recorded state, from the start and from a fleet restored at any position', () => {
    expect(sha256(fleet)).toBe(pools.end.sha256)
    const held = [...fleet.hosts.pools.allHeld()].map(([uuid, gib]) => [uuid, { held: gib, free: fleet.hosts.pools.free(uuid) }])
    expect(pools.end.summary).toMatchObject({ place: fleet.place, now: fleet.now, pools: Object.fromEntries(held) })
    const original = new Fleet()
    for (const [i, { entry }] of pools.steps.entries()) {
      original.apply(entry)
      const restored = restoreFleet(JSON.parse(canonicalJson(checkpointOf(original))))
      for (const later of pools.steps.slice(i + 1))
        expect([later.about, verdictsOf(restored, later.entry)]).toEqual([later.about, later.verdicts])
      expect(sha256(restored)).toBe(pools.end.sha256)
    }
  })
})

// This log is raised to level 8. It has changes of types that existed before level 8 and of types that level 8 added.
describe('the frozen rule of one live claim', () => {
  const instances = read('./judge.golden.instances.jsonl')
  const fleet = new Fleet()
  test.each(instances.steps)('entry $entry.revision: $about', ({ entry, verdicts }) => {
    expect(verdictsOf(fleet, entry)).toEqual(verdicts)
  })

  test('applying the log gives exactly the recorded state, from the start and from a fleet restored at any position', () => {
    const { place, now, ledger } = fleet
    expect(instances.end.summary).toEqual({
      place,
      now,
      claims: Object.fromEntries(
        [...ledger.claims.values()].map(({ id, state, project, instanceAccount }) => [id, [state, project, instanceAccount]]),
      ),
      keys: [...ledger.keys()].map(({ account, key, forgottenAt }) => [account, key, forgottenAt]),
      keyLimits: ledger.keyLimits,
    })
    expect(sha256(fleet)).toBe(instances.end.sha256)
    const original = new Fleet()
    for (const [i, { entry }] of instances.steps.entries()) {
      original.apply(entry)
      const restored = restoreFleet(JSON.parse(canonicalJson(checkpointOf(original))))
      expect(canonicalJson(checkpointOf(restored))).toBe(canonicalJson(checkpointOf(original)))
      for (const later of instances.steps.slice(i + 1))
        expect([later.about, verdictsOf(restored, later.entry)]).toEqual([later.about, later.verdicts])
      expect(sha256(restored)).toBe(instances.end.sha256)
    }
  })
})
