import { decisionFields, idsIn, parseQuery } from '@gantt/scheduler-core/query'
import { Alert, Button, Code, Group, NativeSelect, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, useCallback, useMemo } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { changed, type Step } from '../../../lib/browser/list-search.ts'
import { usePreference } from '../../../lib/browser/preferences.ts'
import { commandOf } from '../../../lib/copies.ts'
import { formatCount, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { usePages } from '../../../lib/service/use-pages.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { CopyList } from '../../../ui/copy-list.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { LiveBadge, Page } from '../../../ui/page.tsx'
import { PagedList } from '../../../ui/table/paged-list.tsx'
import { COUNTS, KEPT, LIST } from '../documents.ts'
import { type DecisionsSearch, groupings } from '../search.ts'
import { type DecisionRow, decisionColumns, decisionFieldsCopied } from './decision-columns.tsx'
import { DecisionGroups } from './decision-groups.tsx'
import { Feed, useTail } from './decision-tail.tsx'
import { groupingTexts } from './groupings.ts'
import { Histogram } from './histogram.tsx'
import { useReading } from './use-reading.ts'
import '../decisions.css'

const route = getRouteApi('/decisions')

/** Loaded when a row is first shown in the side panel. */
const DecisionBeside = lazy(async () => ({ default: (await import('./decision-panel.tsx')).DecisionPanel }))

/** The interval in milliseconds at which decisions are counted. It is long, because each count reads many rows. */
const COUNTS_EVERY_MS = 5_000
/** How long the first revision of the log is cached, in milliseconds. The revision changes rarely. */
const KEPT_STALE_MS = 60_000
/** The height of the histogram in pixels, reserved so that nothing moves when it appears. */
const HISTOGRAM_HEIGHT = 94

const nouns = ['decision', 'decisions'] as const

const keyOf = ({ id }: DecisionRow): string => id

/** The list of decisions with their results, newest first, updated live. */
export function DecisionsPage() {
  const search = route.useSearch()
  const { q = '', live, group } = search
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const usual = usePreference('live')
  const isLive = (live ?? usual) === 'on'
  const pages = usePages(LIST, { q }, ({ decisions }) => decisions, { enabled: group === undefined })
  const counts = useOperation(COUNTS, { q }, isLive ? { everyMs: COUNTS_EVERY_MS } : {})
  const { rows } = pages
  const { isReading, stopReading, cursor, round, handlers } = useReading(rows)
  const { state, waiting, suppressed, hasGap, onState, onEvent, takeIn } = useTail({ q, isReading, pages })
  const kept = useOperation(KEPT, {}, { staleMs: KEPT_STALE_MS }).data?.fleetLog
  const firstRevision = Number(kept?.firstRevision ?? 0)
  const columns = useMemo(() => decisionColumns(zone, firstRevision), [zone, firstRevision])
  const unreadable = useMemo(() => pages.lists.flatMap((list) => list.unreadable), [pages.lists])

  const go = useCallback((step: Step<DecisionsSearch>): void => void navigate({ search: (now) => changed(now, step) }), [navigate])
  const toggleLive = (): void =>
    go((now) => {
      const next = (now.live ?? usual) === 'on' ? 'off' : 'on'
      return { live: next === usual ? undefined : next }
    })
  const showNew = (): void => {
    stopReading()
    void takeIn()
    void counts.refetch()
  }
  useShortcuts([
    { keys: 'f', label: isLive ? 'Freeze: stop adding new decisions' : 'Follow new decisions', run: toggleLive },
    { keys: 'n', label: 'Show the newest decisions', run: showNew },
  ])
  const known = counts.isPlaceholderData ? undefined : counts.data?.decisionCounts
  // until the decisions are counted, the last loaded page shows whether there are more
  const hasNext = pages.lists.at(-1)?.pageInfo.hasNextPage ?? false
  const [total, isMore] = [Math.max(known?.decisions ?? 0, rows.length), known?.isCut ?? hasNext]
  const counted = useMemo(() => ({ total, isMore }), [total, isMore])
  const { lists, read } = pages
  const copied = useMemo(() => ({ lists, total, read }), [lists, total, read])
  // A live list changes up to twice a second, but the elements around it are rendered only when they change themselves.
  const aside = useMemo(
    () => (
      <>
        <NativeSelect
          size="xs"
          aria-label="Group by"
          value={group ?? ''}
          onChange={({ currentTarget: { value } }) => go({ group: groupings.find((one) => one === value) })}
          data={[{ value: '', label: 'One by one' }, ...groupings.map((one) => ({ value: one, label: `By ${groupingTexts[one].name}` }))]}
        />
        <CopyList
          {...{ list: 'decisions', nouns, pages: copied, counted, columns, fields: decisionFieldsCopied(firstRevision) }}
          call={{ document: LIST, variables: { q } }}
          items={[['Command line', () => commandOf('gantt decisions', { query: q })]]}
        />
      </>
    ),
    [group, q, go, copied, counted, columns, firstRevision],
  )
  const histogram = useMemo(
    () => (
      <Histogram
        height={HISTOGRAM_HEIGHT}
        counts={counts.data?.decisionCounts}
        isOld={counts.isPlaceholderData}
        // If the list or the groups below cannot be read either, they show the error, so the histogram does not.
        error={pages.error === null && group === undefined ? counts.error : null}
        fresh={{ atMs: counts.dataUpdatedAt, everyMs: isLive ? COUNTS_EVERY_MS : undefined, isFollowed: isLive }}
        onRetry={() => void counts.refetch()}
        q={q}
        onFilter={(next) => go({ q: next })}
      />
    ),
    [counts.data, counts.isPlaceholderData, counts.dataUpdatedAt, isLive, counts.error, counts.refetch, pages.error, group, q, go],
  )

  return (
    <Page
      title="Decisions"
      aside={
        <>
          {/* this line always exists, so nothing moves under the pointer when the button appears */}
          {waiting > 0 && group === undefined ? (
            <Button size="compact-sm" onClick={showNew} title="n">
              {formatCount(waiting)} new
            </Button>
          ) : null}
          {group === undefined ? <LiveBadge state={state} /> : null}
          <Button size="compact-sm" variant="subtle" onClick={toggleLive}>
            {isLive ? 'Freeze' : 'Follow'}
          </Button>
        </>
      }
    >
      {/* opening the stream also reads the list, so the stream is opened only after the list was loaded */}
      <Feed key={q} q={q} enabled={isLive && group === undefined && !pages.isLoading} onState={onState} onEvent={onEvent} />
      <PagedList
        list="decisions"
        label="Decisions"
        nouns={nouns}
        fields={decisionFields}
        readPaste={filterOfLine}
        pages={pages}
        live={state}
        isFollowed={isLive}
        counted={counted}
        columns={columns}
        keyOf={keyOf}
        onOpen={({ id }) => void navigate({ to: '/decisions/$id', params: { id } })}
        sidePanel={(id) => <DecisionBeside key={id} id={id} />}
        none={<NoDecision />}
        noMatch={
          kept === undefined
            ? undefined
            : `Full records are kept for ${kept.keptDays} days, or less where the log grows fast; summaries are kept longer.`
        }
        aside={aside}
        above={
          <>
            {state === 'lost' ? (
              <Alert color="yellow" role="status" title="The feed is interrupted">
                New decisions are not shown until the service answers again; the console retries every few seconds.
              </Alert>
            ) : null}
            <Unreadable decisions={unreadable} />
            {histogram}
          </>
        }
        instead={
          group === undefined ? undefined : (
            // another grouping has other groups, so it gets a new component
            <DecisionGroups key={group} search={search} by={group} isLive={isLive} onOpen={(next) => void navigate({ search: next })} />
          )
        }
        table={{ cursor, listKey: `${round} ${q}`, height: 'calc(100vh - 330px - var(--g-chips, 0px))' }}
        handlers={handlers}
      />
      {hasGap ? (
        <Text size="xs" c="dimmed" role="status">
          The feed was interrupted; decisions made meanwhile were loaded.
        </Text>
      ) : null}
      {suppressed > 0 ? (
        <Text size="xs" c="dimmed" role="status">
          {formatCount(suppressed)} decisions came faster than the feed reports them; the list has all of them.
        </Text>
      ) : null}
    </Page>
  )
}

/** The filter for all decisions with the ids in a pasted log line. Undefined for a text that is a filter already. */
function filterOfLine(text: string): string | undefined {
  const ids = idsIn(text)
  const { query, problems } = parseQuery(text, decisionFields)
  const isFilter = problems.length === 0 && query.terms.some(({ field }) => field !== null)
  return ids.length === 0 || isFilter ? undefined : `id:${ids.join(',')}`
}

interface UnreadableProps {
  readonly decisions: readonly { readonly id: string; readonly message: string }[]
}

/** Shows how many decisions could not be read and are therefore missing from the list, with the reasons for the first three. */
function Unreadable({ decisions }: UnreadableProps) {
  if (decisions.length === 0) return null
  return (
    <Alert color="yellow" role="status" title={`${formatCount(decisions.length)} of these cannot be read, and are left out`}>
      {decisions.slice(0, 3).map(({ id, message }) => (
        <div key={id}>
          <Code>{id}</Code> {message}
        </div>
      ))}
    </Alert>
  )
}

function NoDecision() {
  const command = 'gantt select --vcpus 2 --memory-mb 4096'
  return (
    <Empty title="No decisions yet">
      A decision answers a request to place an instance. To make one, run:
      <Group justify="center" mt="sm" gap="xs">
        <Code>{command}</Code>
        <CopyButton text={command}>Copy</CopyButton>
      </Group>
    </Empty>
  )
}
