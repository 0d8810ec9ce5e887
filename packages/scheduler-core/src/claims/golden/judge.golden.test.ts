import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Checkpoint, checkpointOf, restoreFleet } from '../../fleet/checkpoint.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { at } from '../../hosts/columns.ts'
import type { LogEntry } from '../../records/change.ts'
import { type Code, codes } from '../../text/codes.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

// A change of judge.golden.jsonl is a change of the frozen rule: replicas of two releases would disagree about old
// logs.

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

  test('the log leaves exactly this state', () => {
    expect(summaryOf(fleet)).toEqual(end.summary)
    expect(sha256(fleet)).toBe(end.sha256)
  })

  test('every code that makes a change void is in the log', () => {
    const judged = new Set<string>(steps.flatMap(({ verdicts }) => verdicts))
    const voids = (Object.keys(codes) as Code[]).filter((code) =>
      /^(entry|claim|report|group\.(unknown|version|conflict)|aggregate\.(version|name_taken|zone_conflict)|profile\.(version|unknown)$)/.test(
        code,
      ),
    )
    // Codes that this log does not contain: judge.test.ts tests the cap of a million keys, which would make the file
    // too large; two codes are of level 8, whose log is below; warnings to reporters make no change void; codes of
    // hosts that leave are of level 9 (fleet/leave.test.ts); a claim for a listed instance is of level 10
    // (judge-listed.test.ts)
    const others = [
      ...['claim.key_cap', 'claim.instance_taken', 'claim.key_limits', 'claim.not_listed'],
      ...['report.host_forgotten', 'report.host_replaced'],
    ]
    expect(voids.filter((code) => !judged.has(code)).sort()).toEqual(others.sort())
  })

  test('a fleet restored at any place goes on alike', () => {
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

// pools have a log of their own, because the log above must not change: the size of a pool is read from documents as
// they are applied
describe('the frozen rule of pools', () => {
  const pools = read('./judge.golden.pools.jsonl')
  const fleet = new Fleet()
  test.each(pools.steps)('entry $entry.revision: $about', ({ entry, verdicts }) => {
    expect(verdictsOf(fleet, entry)).toEqual(verdicts)
  })

  test('the log leaves exactly this state, and a fleet restored at any place goes on alike', () => {
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

// a log that rises to level 8, with entries of the types from before that level and of the new ones
describe('the frozen rule of one live claim', () => {
  const instances = read('./judge.golden.instances.jsonl')
  const fleet = new Fleet()
  test.each(instances.steps)('entry $entry.revision: $about', ({ entry, verdicts }) => {
    expect(verdictsOf(fleet, entry)).toEqual(verdicts)
  })

  test('the log leaves exactly this state, and a fleet restored at any place goes on alike', () => {
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
