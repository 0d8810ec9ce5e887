import { withTerm } from '@gantt/scheduler-core/query'
import { Button, Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { usePages } from '../../../lib/service/use-pages.ts'
import { Problem } from '../../../ui/problem.tsx'
import { Stale } from '../../../ui/stale.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { readHostSearch } from '../search.ts'
import {
  type GroupName,
  groupNames,
  groups,
  type Happening,
  keyOf,
  kindsOf,
  type Log,
  momentOf,
  printGroups,
  REACH,
  readGroups,
  TIMELINE,
  type Timeline,
  wordOf,
} from './timeline.ts'

const route = getRouteApi('/hosts/$host')

/** Loaded separately, because only one section uses it. */
const HostLanes = lazy(async () => ({ default: (await import('./host-lanes.tsx')).HostLanes }))

const REFRESH_MS = 15_000
const PAGE = 50
const NONE: Timeline = { totalCount: 0, pageInfo: { endCursor: null, hasNextPage: false }, nodes: [] }

interface HostTimelineProps {
  readonly host: string
  readonly node: string
  /** The revision of the host's last change. When it increases, the timeline is read again, because there are new events. */
  readonly revision: string
  /** The state at the shown moment. */
  readonly state: string
  readonly status: string
  /** The time at which the host was forgotten. Undefined if the host exists. */
  readonly goneMs: number | undefined
}

/** The events of the host, newest first, with their accounts and links to the console at that time. */
export function HostTimeline({ host, node, revision, ...present }: HostTimelineProps) {
  const { kinds } = route.useSearch()
  const shown = readGroups(kinds)
  const pages = usePages(TIMELINE, { host, node, kinds: kindsOf(shown) }, (data) => data.host?.timeline ?? NONE, { everyMs: REFRESH_MS })
  const { rows, total, error, isLoading, isOld, readAtMs, refresh, load } = pages
  const { data: reach, error: noReach, refetch: readReach } = useOperation(REACH, { host, node })
  const shownRevision = useRef(revision)
  useEffect(() => {
    if (shownRevision.current === revision) return
    shownRevision.current = revision
    refresh()
  }, [revision, refresh])
  const since = reach?.host?.timeline.since ?? null
  const log = reach?.fleetLog
  return (
    <Stack gap="xs">
      <Shown shown={shown} />
      {error === null ? null : <Problem error={error} onRetry={refresh} />}
      {noReach && error === null ? <Problem error={noReach} onRetry={() => void readReach()} /> : null}
      {isLoading ? <Skeleton height={160} role="status" aria-label="The timeline is being loaded" /> : null}
      {isLoading ? null : (
        <Stale error={error} atMs={readAtMs} everyMs={REFRESH_MS} isOther={isOld}>
          <Text size="sm" role="status" data-happened={total} mb={4}>
            {rows.length < total ? `The newest ${formatCount(rows.length)} of ${formatCount(total)}.` : `${formatCount(total)} in total.`}{' '}
            {since === null ? null : <Since at={since.at} />}
          </Text>
          {rows.length === 0 ? (
            <Nothing shown={shown} />
          ) : (
            <>
              <Suspense fallback={<Skeleton height={180} />}>
                <HostLanes {...present} rows={rows} shown={shown} sinceMs={since === null ? undefined : Date.parse(since.at)} log={log} />
              </Suspense>
              <Rows rows={rows} log={log} />
            </>
          )}
          {rows.length < total ? (
            <Button size="compact-sm" variant="outline" mt="xs" onClick={() => void load(rows.length + PAGE)}>
              Show {formatCount(Math.min(PAGE, total - rows.length))} more
            </Button>
          ) : null}
        </Stale>
      )}
    </Stack>
  )
}

/** Checkboxes for the kinds of events that the timeline shows. The selection is stored in the URL. */
function Shown({ shown }: { readonly shown: readonly GroupName[] }) {
  const navigate = route.useNavigate()
  const set = (group: GroupName, isShown: boolean): void => {
    const printed = (shown: readonly GroupName[]) =>
      printGroups(groupNames.filter((name) => (name === group ? isShown : shown.includes(name))))
    void navigate({ search: (now) => readHostSearch({ ...now, kinds: printed(readGroups(now.kinds)) }), resetScroll: false })
  }
  return (
    <Group gap="md" role="group" aria-label="Kinds shown">
      {groupNames.map((name) => (
        <Checkbox
          key={name}
          checked={shown.includes(name)}
          label={groups[name].label}
          size="xs"
          onChange={({ currentTarget }) => set(name, currentTarget.checked)}
        />
      ))}
    </Group>
  )
}

function Since({ at }: { readonly at: string }) {
  const zone = useTimeZone()
  return (
    <span title={titleOfTime(at)} data-since={at}>
      Before {formatTime(at, zone)} only claims and lost attempts are known: other events of hosts were not recorded then.
    </span>
  )
}

const Nothing = ({ shown }: { readonly shown: readonly GroupName[] }) => (
  <Text size="sm" c="dimmed">
    {shown.length === 0
      ? 'No kind is selected: tick the kinds to show.'
      : `No events of these kinds${shown.length === groupNames.length ? '' : `: ${shown.map((name) => groups[name].label.toLowerCase()).join(', ')}`}.`}
  </Text>
)

function Rows({ rows, log }: { readonly rows: readonly Happening[]; readonly log: Log }) {
  return (
    <SmallTable
      label="Events of the host"
      rows={rows}
      rowKey={keyOf}
      rowAttributes={({ kind }) => ({ 'data-kind': kind, style: { verticalAlign: 'top' } })}
      columns={[
        { head: 'Time', className: 'narrow', cell: (row) => <When row={row} log={log} /> },
        { head: 'Event', className: 'narrow', cell: wordOf },
        { head: 'Details', className: 'breaks', cell: (row) => <How row={row} /> },
        { head: 'By', cell: (row) => <By row={row} /> },
      ]}
    />
  )
}

/** The time of an event. If the log still contains this time, it is a link to the console at this time. */
function When({ row, log }: { readonly row: Happening; readonly log: Log }) {
  const zone = useTimeZone()
  const moment = momentOf(row, log)
  const time = formatTime(row.at, zone)
  if (moment === undefined) return <span title={`${titleOfTime(row.at)}; the log no longer contains this time`}>{time}</span>
  return (
    <Link
      className="host-link"
      to="."
      search={(before) => ({ ...before, at: moment })}
      title={titleOfTime(row.at)}
      aria-label={`${time}: the console as it was then`}
    >
      {time}
    </Link>
  )
}

/** If an event has more changes than this, they are hidden at first. */
const MAX_SHOWN_AT_FIRST = 4

function How({
  row: { changes, changesLeftOut, reason, aggregateUuid, aggregateName, instanceUuid, claimId, attempt, code },
}: {
  readonly row: Happening
}) {
  return (
    <>
      {aggregateUuid === null ? null : (
        <Link className="host-link" to="/aggregates/$uuid" params={{ uuid: aggregateUuid }}>
          {aggregateName}
        </Link>
      )}
      {claimId === null ? null : instanceUuid === null ? (
        <span>an instance without a name</span>
      ) : (
        <>
          instance{' '}
          <Link className="host-link mono" to="/claims" search={{ q: withTerm('', 'instance', instanceUuid) }}>
            {instanceUuid}
          </Link>
        </>
      )}
      {code === null ? null : (
        <>
          attempt {attempt} had chosen this host: <span className="mono">{code}</span>
        </>
      )}
      {changes.length > MAX_SHOWN_AT_FIRST ? (
        <details>
          <summary>{formatCount(changes.length + changesLeftOut)} changes</summary>
          <Changes changes={changes} />
          {changesLeftOut === 0 ? null : <div>and {formatCount(changesLeftOut)} more, which are not kept</div>}
        </details>
      ) : (
        <Changes changes={changes} />
      )}
      {reason === null ? null : <div>“{reason}”</div>}
    </>
  )
}

const Changes = ({ changes }: Pick<Happening, 'changes'>) =>
  changes.map(({ field, before, after }) => (
    <div key={field}>
      <span className="mono">{field}</span> {before ?? 'none'} → {after ?? 'none'}
    </div>
  ))

/** Who caused the event: a link to the row of the audit, or the account that holds the claim, and a link to the decision. */
function By({ row: { edit, account, decision, kind, claimId } }: { readonly row: Happening }) {
  return (
    <>
      {edit === null ? account : null}
      {edit === null ? null : (
        <Link className="host-link" to="/audit" search={{ q: withTerm('', 'request', edit.requestId) }} title="Audit row">
          {edit.account}
        </Link>
      )}
      {decision === null || kind === 'CLAIM_ENDED' ? null : (
        <>
          {edit === null && account === null ? '' : ', '}
          <Link
            className="host-link"
            to="/decisions/$id"
            params={{ id: decision.id }}
            aria-label={`its decision (${claimId ?? decision.id})`}
          >
            its decision
          </Link>
        </>
      )}
    </>
  )
}
