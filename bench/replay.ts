import {
  type Change,
  checkpointOf,
  type DecisionRecord,
  ENTRY_FORMAT,
  type Entry,
  Fleet,
  type HostIndex,
  replay,
} from '@gantt/scheduler-core'
import { aClaim, aRequest } from '@gantt/scheduler-core/testing'
import { createPastFleets, KEPT_THINGS } from '../apps/server/src/replica/follow/past-fleets.ts'
import { createMemoryStore } from '../apps/server/src/sync/memory/memory.ts'
import type { Synchronizer } from '../apps/server/src/sync/synchronizer.ts'
import { aLogOf, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Question } from './question.ts'

/** At most this many changes are in the log after the checkpoint. */
const CHANGES = 10_000
/** An entry of the log has this many changes: the claims of one request, and reports of hosts. */
const PER_ENTRY = 10
/**
 * The incarnation of the hosts' reports. The reports that `aLogOf` writes have the same incarnation, so their sequence numbers continue
 * here.
 */
const INCARNATION = '00000000-0000-4000-8000-000000000001'

const request = aRequest({ vcpus: 1, memoryMb: 1_024 })

/**
 * Measures the replay of a stored decision that is up to 10,000 changes after a checkpoint. The log is in memory, so the time to read it
 * from a database is not included.
 */
export const replayQuestion: Question = {
  name: 'replay',
  asks: 'What does it cost to repeat a stored decision that is up to 10,000 changes after a checkpoint?',
  floor: 'a plain decision of the same request: filters and weighers only',
  rounds: 200,
  async run({ hosts = 10_000, rounds }) {
    const changes = Math.min(hosts, CHANGES)
    const { store, fleet, decisions } = await aPast(hosts, changes)
    const warm = createPastFleets(store.past, { limit: KEPT_THINGS })
    let next = 0
    // Two consecutive replays are of decisions that are far apart in the log.
    const any = (): Decided => {
      next = (next + Math.floor(decisions.length * 0.618)) % decisions.length
      return decisions[next] as Decided
    }
    const last = decisions.at(-1) as Decided
    const again = (fleets: typeof warm, { basis, record }: Decided) => fleets.read(basis, (then) => replay(then, [], record))
    try {
      const { plain, same, other } = await measureInTurns(rounds, {
        plain: () => scan(fleet, request),
        same: () => again(warm, last),
        other: () => again(warm, any()),
      })
      // Replays without cached fleets are measured separately. Otherwise the garbage that they produce would be collected during the
      // measurement of the other operations.
      const { cold } = await measureInTurns(Math.ceil(rounds / 10), {
        cold: async () => {
          const fleets = createPastFleets(store.past, { limit: KEPT_THINGS })
          await again(fleets, any())
          fleets.close()
        },
      })
      const target = { of: 'p99', most: 50 } as const
      return [
        { what: `${hosts} hosts; scan`, unit: 'ms', ...plain, ratio: null },
        { what: 'the decision that was repeated last', unit: 'ms', ...same, ratio: same.median / plain.median, target },
        { what: `any of ${changes} changes, fleets kept in memory`, unit: 'ms', ...other, ratio: other.median / plain.median, target },
        { what: `any of ${changes} changes, nothing kept`, unit: 'ms', ...cold, ratio: cold.median / plain.median, target },
      ]
    } finally {
      warm.close()
    }
  },
}

interface Decided {
  readonly basis: number
  readonly record: DecisionRecord
}

/**
 * A log with a checkpoint of all hosts, followed by decisions. Each entry after the checkpoint has the claims of one decision, and reports
 * of hosts.
 */
async function aPast(hosts: number, changes: number): Promise<{ store: Synchronizer; fleet: Fleet; decisions: readonly Decided[] }> {
  const store = createMemoryStore().open()
  const fleet = new Fleet()
  const append = async (id: string, made: readonly Change[]): Promise<void> => {
    const entry: Entry = { format: ENTRY_FORMAT, id, writer: 'bench', basis: fleet.place, changes: made }
    const place = await store.append(entry)
    if (place === undefined) throw new Error(`the store refused ${id}`)
    const refused = fleet.apply({ ...entry, revision: place.revision, at: place.at }).find((verdict) => verdict !== undefined)
    if (refused !== undefined) throw new Error(`a change of ${id} is ${refused}`)
  }
  for (const { id, changes: before } of aLogOf(hosts).entries) await append(id, before)
  await store.saveCheckpoint(checkpointOf(fleet))
  const decisions: Decided[] = []
  const sequences = new Map<string, number>()
  for (let change = 0; change < changes; change += PER_ENTRY) {
    const { record, parts, answer } = scan(fleet, request, { id: `d${change}`, claimIds: [`c${change}`] })
    decisions.push({ basis: fleet.place.revision, record })
    const reports = Array.from({ length: PER_ENTRY - 1 }, (_, i): Change => {
      const { host, node } = fleet.hosts.get(((change * 7 + i) % hosts) as HostIndex)
      const baseSequence = sequences.get(host) ?? 1
      sequences.set(host, baseSequence + 1)
      const delta = { baseSequence, numIoOps: i }
      return { type: 'report', host, node, incarnation: INCARNATION, sequence: baseSequence + 1, delta }
    })
    await append(`b${change}`, [{ ...aClaim({ key: `k${change}`, ttlMs: 1e9 }), parts, answer, decision: record }, ...reports])
  }
  return { store, fleet, decisions }
}
