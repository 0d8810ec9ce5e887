import { graphql, type ResultOf } from '../../../lib/service/graphql.ts'

/** The events of a host, page by page. */
export const TIMELINE = graphql(`
  query HostTimeline($host: String!, $node: String, $kinds: [HostTimelineKind!], $after: String, $at: Moment) {
    host(name: $host, node: $node, at: $at) {
      timeline(first: 50, after: $after, kinds: $kinds) {
        totalCount
        pageInfo { endCursor hasNextPage }
        nodes {
          kind at revision text reason changesLeftOut aggregateUuid aggregateName claimId instanceUuid endedAs account attempt code
          changes { field before after }
          decision { id }
          edit { account requestId }
        }
      }
    }
  }
`)

/** The time from which on all events of the host are recorded, and the beginning of the log. */
export const REACH = graphql(`
  query HostTimelineReach($host: String!, $node: String, $at: Moment) {
    fleetLog { firstRevision firstAt }
    host(name: $host, node: $node, at: $at) { timeline(first: 1) { since { revision at } } }
  }
`)

/** The changes in the last report that changed the host's inventory, and the time from which on such changes are recorded. */
export const LAST_INVENTORY = graphql(`
  query HostLastInventory($host: String!, $node: String, $at: Moment) {
    host(name: $host, node: $node, at: $at) {
      timeline(first: 1, kinds: [INVENTORY]) {
        nodes { at changesLeftOut changes { field before after } }
        since { at }
      }
    }
  }
`)

export type Timeline = NonNullable<ResultOf<typeof TIMELINE>['host']>['timeline']
export type Happening = Timeline['nodes'][number]
type Kind = Happening['kind']

/** A key that is unique among all events of the host. */
export const keyOf = ({ at, kind, revision, claimId, aggregateUuid, decision }: Happening): string =>
  `${at} ${kind} ${revision} ${claimId ?? aggregateUuid ?? decision?.id}`

/** The groups of events that can be shown or hidden. The URL contains their names. */
export const groups = {
  status: { label: 'Status', kinds: ['STATUS'] },
  liveness: { label: 'Liveness', kinds: ['LIVENESS'] },
  inventory: { label: 'Inventory', kinds: ['FIRST_REPORT', 'INVENTORY'] },
  aggregates: { label: 'Aggregates', kinds: ['AGGREGATE_JOINED', 'AGGREGATE_LEFT', 'AGGREGATE_EDITED'] },
  presence: { label: 'Added and removed', kinds: ['FORGOTTEN', 'READMITTED', 'REPLACED'] },
  claims: { label: 'Claims', kinds: ['CLAIM_MADE', 'CLAIM_CONFIRMED', 'CLAIM_ENDED'] },
  tries: { label: 'Lost attempts', kinds: ['TRY_LOST'] },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly kinds: readonly Kind[] }>>

export type GroupName = keyof typeof groups
export const groupNames = Object.keys(groups) as readonly GroupName[]

/** Parses the groups in the URL. Without the parameter, all groups are shown. Unknown names are ignored. */
export const readGroups = (kinds: string | undefined): readonly GroupName[] =>
  kinds === undefined ? groupNames : groupNames.filter((name) => kinds.split(',').includes(name))

/** Prints groups for the URL. Undefined if all groups are shown. */
export const printGroups = (names: readonly GroupName[]): string | undefined =>
  names.length === groupNames.length ? undefined : groupNames.filter((name) => names.includes(name)).join(',') || 'none'

/** The kinds of events in the groups, in the form of the API. Null if all groups are shown. */
export const kindsOf = (names: readonly GroupName[]): Kind[] | null =>
  names.length === groupNames.length ? null : names.flatMap((name) => [...groups[name].kinds])

const words: Readonly<Record<Kind, string>> = {
  FIRST_REPORT: 'first report',
  INVENTORY: 'inventory',
  STATUS: 'status',
  LIVENESS: 'liveness',
  FORGOTTEN: 'forgotten',
  READMITTED: 'readmitted',
  REPLACED: 'renamed',
  AGGREGATE_JOINED: 'joined aggregate',
  AGGREGATE_LEFT: 'left aggregate',
  AGGREGATE_EDITED: 'aggregate edited',
  CLAIM_MADE: 'claim created',
  CLAIM_CONFIRMED: 'claim confirmed',
  CLAIM_ENDED: 'claim ended',
  TRY_LOST: 'attempt lost',
}

/** The event in a few words. */
export const wordOf = ({ kind, endedAs }: Pick<Happening, 'kind' | 'endedAs'>): string =>
  endedAs === null ? words[kind] : `claim ${endedAs.toLowerCase()}`

/** The beginning of the log. Undefined if it is not known yet. */
export type Log = { readonly firstRevision: string; readonly firstAt: string | null } | undefined

/**
 * The moment of an event for the console: the revision of its entry, or its time if only the time is stored. Undefined if the log no longer
 * contains the time of the event.
 */
export function momentOf({ revision, at }: Pick<Happening, 'revision' | 'at'>, log: Log): string | undefined {
  if (log === undefined) return undefined
  const isKept =
    revision === null ? log.firstAt !== null && Date.parse(at) >= Date.parse(log.firstAt) : Number(revision) >= Number(log.firstRevision)
  return isKept ? (revision ?? at) : undefined
}
