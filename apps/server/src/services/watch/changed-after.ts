import { type Fleet, type HostIndex, type HostRecord, inSlices, sortInSteps } from '@gantt/scheduler-core'

/** At most this many hosts are examined between two yields. */
const EXAMINED_AT_ONCE = 256

/**
 * The hosts that changed after a revision, in the order of their last changes. An undefined means: other work may run before the next host
 * is read.
 */
export function* changedAfter({ hosts }: Fleet, revision: number): Generator<HostIndex | undefined> {
  // the revisions are copied, because a record can change while the sort is interrupted
  const changed: Pick<HostRecord, 'index' | 'revision'>[] = []
  for (const record of inSlices(hosts.records, EXAMINED_AT_ONCE))
    if (record === undefined) yield undefined
    else if (record.revision > revision) changed.push({ index: record.index, revision: record.revision })
  for (const { index } of yield* sortInSteps(changed, (a, b) => a.revision - b.revision)) yield index
}
