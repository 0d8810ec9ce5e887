import {
  canonicalJson,
  type DecisionRecord,
  Fleet as EmptyFleet,
  type Fleet,
  isProposal,
  otherCode,
  pluginsOf,
  proposalsBefore,
  replay,
  restoreFleet,
  type SelectedDestination,
} from '@gantt/scheduler-core'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { type LogReader, LogTrimmedError } from '../../sync/synchronizer.ts'

export interface Verification {
  /** The revision at which the log begins; 0 if it was never trimmed. Earlier decisions cannot be replayed. */
  readonly from: number
  /** How many decisions were replayed. */
  readonly checked: number
  /** How many stored decisions are older than the log. */
  readonly beyond: number
  /** How many decisions needed more than one attempt. */
  readonly conflicts: number
  /**
   * How many decisions were made by other code (another release, a plug-in). Their replays could differ, so these decisions are not
   * replayed.
   */
  readonly elsewhere: number
  /** The differences between the stored decisions and their replays, at most the first hundred. */
  readonly differences: readonly string[]
}

/**
 * Replays decisions: placements that claim resources at their position in the log, other decisions on the state at the revision on which
 * they were made. An entry that was appended behind entries that its decisions did not know is not replayed. Hosts, grants, alternates,
 * scores, counts and weigher values must be equal to the last bit. A trimmed log is replayed from its oldest checkpoint on.
 */
export async function verifyDecisions(store: LogReader, decisions: readonly StoredDecision[]): Promise<Verification> {
  for (;;) {
    const fleet = await fleetAtBeginning(store)
    try {
      return await verifyFrom(fleet, store, decisions)
    } catch (error) {
      // the log was trimmed meanwhile, so it begins later now
      if (!(error instanceof LogTrimmedError)) throw error
    }
  }
}

/** The fleet at the beginning of the log: an empty one, or that of the oldest stored checkpoint. */
async function fleetAtBeginning(store: LogReader): Promise<Fleet> {
  const { firstRevision } = await store.retention()
  const checkpoint = firstRevision === 0 ? undefined : await store.loadCheckpoint(firstRevision)
  return checkpoint === undefined ? new EmptyFleet() : restoreFleet(checkpoint)
}

async function verifyFrom(fleet: Fleet, store: LogReader, decisions: readonly StoredDecision[]): Promise<Verification> {
  const from = fleet.place.revision
  const differences: string[] = []
  let checked = 0
  let conflicts = 0
  let elsewhere = 0
  const unlogged = new Map<number, StoredDecision[]>()
  for (const decision of decisions)
    if (decision.place.entryId === null) unlogged.set(decision.place.basis, [...(unlogged.get(decision.place.basis) ?? []), decision])
  const stored = new Map(decisions.map((decision) => [decision.id, decision]))
  const compare = (what: string, id: string, was: unknown, is: unknown): void => {
    if (canonicalJson(was) !== canonicalJson(is) && differences.length < 100)
      differences.push(`decision ${id}: ${what} differs: was ${canonicalJson(was)}, is ${canonicalJson(is)}`)
  }
  const check = (record: DecisionRecord, answer: readonly SelectedDestination[], before: Parameters<typeof replay>[1], on: Fleet): void => {
    if (otherCode(record, pluginsOf(on)) !== undefined) {
      elsewhere++
      return
    }
    checked++
    if (record.attempt > 1) conflicts++
    const again = replay(on, before, record)
    compare('the record', record.id, record, again.record)
    compare('the answer', record.id, answer, again.answer)
  }
  const checkUnlogged = (): void => {
    for (const { record, answer } of unlogged.get(fleet.place.revision) ?? []) check(record, answer, [], fleet)
  }
  checkUnlogged()
  for (;;) {
    const entries = await store.read(fleet.place, 1_000)
    for (const entry of entries) {
      if (entry.basis.revision === fleet.place.revision)
        for (const [position, change] of entry.changes.entries()) {
          if (!isProposal(change)) continue
          check(change.decision, change.answer, proposalsBefore(entry, position), fleet)
          const kept = stored.get(change.decision.id)
          if (kept?.place.entryId === entry.id) compare('the stored record', change.decision.id, change.decision, kept.record)
        }
      fleet.apply(entry)
      checkUnlogged()
    }
    if (entries.length < 1_000) {
      const beyond = decisions.filter(({ place }) => place.basis < from).length
      return { from, checked, beyond, conflicts, elsewhere, differences }
    }
  }
}
