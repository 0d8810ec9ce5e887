import { hostStepKinds } from '@gantt/scheduler-core'
import type { AuditRow } from '../../db/tables/audit.ts'
import { claimStepKinds, type HostTimelineStore, type TimelineKind, type TimelineRow } from '../../db/tables/host-timeline.ts'
import type { Replica } from '../../replica/replica.ts'
import { firstOf, keyOf, listOf, type Page, type PageArgs, toCursor } from '../calls/paging.ts'
import { isPresent } from '../moments/snapshots.ts'
import { type HostView, keyOfHost } from './host-view.ts'
import { isEditOf, isSomebodys } from './timeline-edits.ts'

export const timelineKinds: readonly TimelineKind[] = [...hostStepKinds, ...claimStepKinds]

/** An event of a host, and its author. */
export interface TimelineEntry extends TimelineRow {
  /**
   * The audit row of the operator's edit that caused the event. Undefined if no edit caused the event, or if no row matches. The audit rows
   * for all events of a page are read in one query.
   */
  edit(): Promise<AuditRow | undefined>
}

export interface TimelinePage extends Page<TimelineEntry> {
  /**
   * From this point in the log on, the tables contain all kinds of events. For earlier times, they contain only events of claims and
   * attempts. Null if all events since the host's first report are recorded.
   */
  readonly since: { readonly revision: number; readonly at: number } | null
}

export interface HostTimelines {
  /** The events of a host up to the time of its view, newest first. Throws InputFault for an invalid page argument. */
  of(host: HostView, args: PageArgs & { readonly kinds?: readonly TimelineKind[] | null | undefined }): Promise<TimelinePage>
}

export interface HostTimelinesOptions {
  readonly replica: Replica
  readonly store: HostTimelineStore
  /** Waits until the tables contain everything that this replica has applied. */
  caughtUp(): Promise<unknown>
}

export function createHostTimelines({ replica, store, caughtUp }: HostTimelinesOptions): HostTimelines {
  /** Adds the authors to the events of a page. When the first author is requested, one query reads the authors of all events. */
  const withEdits = (rows: readonly TimelineRow[]): TimelineEntry[] => {
    const somebodys = rows.filter(isSomebodys)
    let reading: Promise<readonly (readonly AuditRow[])[]> | undefined
    return rows.map((row) => ({
      ...row,
      async edit() {
        const index = somebodys.indexOf(row)
        if (index < 0) return undefined
        reading ??= store.edits(somebodys.map(({ at }) => at))
        return (await reading)[index]?.find((edit) => isEditOf(row, edit))
      },
    }))
  }

  return {
    async of({ fleet, record }, { kinds: asked, ...page }) {
      const { firstSeen, formerNames, ...present } = record
      const names = [...new Map([...formerNames, present].map(({ host, node }) => [JSON.stringify([host, node]), { host, node }])).values()]
      // an empty list of kinds finds no event, like an empty list in every other filter of the API
      const kinds = asked ?? timelineKinds
      const list = listOf('timeline', [keyOfHost(record), kinds])
      const first = firstOf(list, page)
      const after = keyOf<[number, number, string]>(list, page, ['number', 'number', 'string'])
      await caughtUp()
      const query = { names, kinds, until: isPresent(fleet, replica) ? undefined : { revision: fleet.place.revision, at: fleet.now } }
      const [found, span] = await Promise.all([store.list({ ...query, after, first: first + 1 }), store.span()])
      const shown = found.slice(0, first)
      const entries = withEdits(shown)
      return {
        edges: entries.map((node) => ({ cursor: toCursor(list, [node.at, node.rank, node.key]), node })),
        hasNextPage: found.length > first,
        hasPreviousPage: after !== undefined,
        totalCount: () => store.count(query),
        since:
          span === undefined
            ? { revision: fleet.place.revision, at: fleet.now }
            : span.fromRevision < firstSeen
              ? null
              : { revision: span.fromRevision, at: span.from },
      }
    },
  }
}
