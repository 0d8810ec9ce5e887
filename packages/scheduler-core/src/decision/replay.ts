import type { ClaimsProposed, LogEntry } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { type Examination, examine, type HostChecks, prepareChecks } from '../pipeline/examine.ts'
import { type Decided, decide } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import type { DecisionRecord } from './decision.ts'

/** The claims that were proposed before a change in its entry: the overlay on which it was decided. */
export const proposalsBefore = (entry: Pick<LogEntry, 'changes'>, place: number): readonly ClaimsProposed[] =>
  entry.changes.slice(0, place).filter((change) => change.type === 'claims')

/**
 * Makes a decision again on the fleet at its basis: the same hosts, grants and scores, bit for bit. Leaves the fleet as
 * it was. Throws RangeError when the fleet does not hold the profile version.
 */
export function replay(fleet: Fleet, before: readonly ClaimsProposed[], record: DecisionRecord): Decided {
  return withProposals(fleet, before, (overlay) => decideAgain(fleet, overlay, record))
}

/** Everything about one instance of a decision, made again: earlier picks hold their share. */
export function examineAgain<T>(
  fleet: Fleet,
  before: readonly ClaimsProposed[],
  record: DecisionRecord,
  instance: number,
  read: (examination: Examination) => T,
): T {
  return atInstance(fleet, before, record, instance, () =>
    read(examine(fleet, record.request, profileOf(fleet, record), record.seed, instance)),
  )
}

/** The filters as one instance of a decision met them, for questions about single hosts. */
export function checkAgain<T>(
  fleet: Fleet,
  before: readonly ClaimsProposed[],
  record: DecisionRecord,
  instance: number,
  read: (checks: HostChecks) => T,
): T {
  return atInstance(fleet, before, record, instance, () => read(prepareChecks(fleet, record.request, profileOf(fleet, record))))
}

/** Reads the fleet as one instance of a decision met it. */
function atInstance<T>(fleet: Fleet, before: readonly ClaimsProposed[], record: DecisionRecord, instance: number, read: () => T): T {
  const earlier = instance === 0 ? [] : replay(fleet, before, { ...record, allOrNothing: false }).parts.slice(0, instance)
  return withProposals(fleet, before, (overlay) => {
    for (const part of earlier) overlay.hold(part, groupOf(record.request))
    return read()
  })
}

function withProposals<T>(fleet: Fleet, before: readonly ClaimsProposed[], use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    for (const { parts, group } of before) for (const part of parts) overlay.hold(part, group)
    return use(overlay)
  } finally {
    overlay.discard()
  }
}

function decideAgain(fleet: Fleet, overlay: Overlay, record: DecisionRecord): Decided {
  const { id, request, seed, attempt, alternatesPerInstance, allOrNothing } = record
  const claimIds = new Array<string>(request.numInstances).fill('')
  return decide(fleet, overlay, {
    id,
    request,
    profile: profileOf(fleet, record),
    seed,
    attempt,
    alternatesPerInstance,
    allOrNothing,
    claimIds,
  })
}

function profileOf(fleet: Fleet, { profile }: DecisionRecord) {
  const found = fleet.profiles.find(profile)
  if (found === undefined) throw new RangeError(`profile ${profile} is not known at revision ${fleet.place.revision}`)
  return found
}
