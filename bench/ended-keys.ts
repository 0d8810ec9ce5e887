import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Change, checkpointOf, copyFleet, createRandom, type Fleet } from '@gantt/scheduler-core'
import { someInstances } from '@gantt/scheduler-core/testing'
import { aLogOf } from './fleet.ts'
import { samplesOf } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** How many placements are in one entry, and the milliseconds between two entries. Together they give 5,000 placements a second. */
const EACH = 1_000
const INTERVAL_MS = 200
/** Each round adds this many keys. At 5,000 placements a second, 1,800 rounds are an hour. */
const KEYS = 10_000

/**
 * Measures the cost of idempotency keys after their claims have ended: the memory for each key with its claim, the size of a checkpoint,
 * the time of a copy, and the time to check and apply an entry while they are stored.
 */
export const endedKeys: Question = {
  name: 'ended-keys',
  asks: 'What does each retained idempotency key of an ended claim cost at 5,000 placements a second? Each round adds 10,000 keys; 1,800 rounds are an hour.',
  floor: 'the judge with only a few retained keys',
  rounds: 20,
  run({ hosts = 1_000, rounds }) {
    const log = aLogOf(hosts)
    log.append([{ type: 'feature', level: 8 }])
    let { fleet } = log
    const names = fleet.hosts.records.map(({ host }) => host)
    const uuid = uuidsOf(createRandom('ended keys'))
    const before = memory()
    const times: number[] = []
    // Each host has one claim at a time.
    const each = Math.min(EACH, hosts)
    for (let i = 0; i < (rounds * KEYS) / each; i++) {
      const placed = Array.from({ length: each }, (_, j) => placement(names, uuid, i * each + j))
      const from = process.cpuUsage()
      apply(fleet, placed, i)
      apply(fleet, releases(fleet, placed), i)
      const { user, system } = process.cpuUsage(from)
      times.push((user + system) / 1_000 / each)
    }
    const bytes = (memory() - before) / fleet.ledger.endedKeyCount
    const first = samplesOf(times.slice(0, Math.max(1, Math.floor(times.length / 10))))
    const last = samplesOf(times.slice(-Math.max(1, Math.floor(times.length / 10))))
    const copied = process.cpuUsage()
    fleet = copyFleet(fleet)
    const copy = process.cpuUsage(copied)
    let stored = 0
    for (const chunk of checkpointOf(fleet).endedKeys?.chunks ?? []) stored += JSON.stringify(chunk).length
    const what = `${fleet.ledger.endedKeyCount} keys`
    const figures: Figure[] = [
      {
        what: `${what}; memory of a key and its claim`,
        unit: 'bytes',
        median: Math.max(0, bytes),
        p99: null,
        ratio: null,
        target: { of: 'median', most: 480 },
      },
      { what: `${what}; its part in a checkpoint`, unit: 'bytes', median: stored / fleet.ledger.endedKeyCount, p99: null, ratio: null },
      { what: `${what}; a copy of the fleet`, unit: 'ms', median: (copy.user + copy.system) / 1_000, p99: null, ratio: null },
      { what: 'judging a placement and its release; the first tenth', unit: 'ms', ...first, ratio: null },
      { what: 'the same; the last tenth', unit: 'ms', ...last, ratio: last.median / first.median },
    ]
    return figures
  },
}

/** A placement as callers make it: keys and instances are uuids, and the answer has two alternates and the limits of three classes. */
function placement(names: readonly string[], uuid: () => string, i: number): ReturnType<typeof someInstances> {
  const host = names[i % names.length] as string
  const instance = uuid()
  const claim = someInstances({
    key: uuid(),
    hosts: [host],
    ids: [uuid()],
    instances: [instance],
    grants: { classes: { MEMORY_MB: 1, DISK_GB: 1 } },
  })
  const limits = { VCPU: 64, MEMORY_MB: 262_144, DISK_GB: 2_000 }
  const destination = (j: number) => {
    const name = names[(i + j) % names.length] as string
    return { host: name, node: name, weight: 1 + j / 3, limits }
  }
  return {
    ...claim,
    account: 'nova',
    project: uuid().replaceAll('-', ''),
    digest: (uuid() + uuid()).replaceAll('-', ''),
    answer: [{ instance, selected: destination(0), alternates: [destination(1), destination(2)] }],
    decision: { ...claim.decision, id: uuid() },
  }
}

const releases = (fleet: Fleet, placed: readonly ReturnType<typeof someInstances>[]): Change[] =>
  placed.flatMap(({ parts }) =>
    parts.map(({ claim }) => ({ type: 'release', claim, fence: fleet.ledger.claims.get(claim)?.fence ?? 0, reason: null }) as const),
  )

function apply(fleet: Fleet, changes: readonly Change[], i: number): void {
  const revision = fleet.place.revision + 1
  const verdicts = fleet.apply({
    format: 1,
    id: `b${revision}`,
    writer: 'bench',
    basis: fleet.place,
    changes,
    revision,
    at: 1_000_000 + Math.floor((i * INTERVAL_MS * changes.length) / EACH),
  })
  const refused = verdicts.find((verdict) => verdict !== undefined)
  if (refused !== undefined) throw new Error(`a placement of the bench is void: ${refused}`)
}

function uuidsOf(random: ReturnType<typeof createRandom>): () => string {
  const hex = (digits: number): string => Array.from({ length: digits }, () => random.below(16).toString(16)).join('')
  return () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
}

/** The bytes of memory in use after a garbage collection. */
function memory(): number {
  setFlagsFromString('--expose_gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
