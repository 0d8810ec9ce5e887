import { Group, Skeleton, Text } from '@mantine/core'
import { useCallback, useMemo } from 'react'
import { changed, useListGo } from '../../../lib/browser/list-search.ts'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { NoMatch } from '../../../ui/filter/no-match.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Stale } from '../../../ui/stale.tsx'
import { ListTable } from '../../../ui/table/list-table.tsx'
import type { TableColumn } from '../../../ui/table/table.tsx'
import { GROUPS } from '../documents.ts'
import type { DecisionsSearch, Grouping } from '../search.ts'
import { groupingTexts, joined } from './groupings.ts'
import './decision-groups.css'

const REFRESH_MS = 5_000

type GroupRow = ResultOf<typeof GROUPS>['decisionCounts']['groups']['nodes'][number]

interface DecisionGroupsProps {
  readonly search: DecisionsSearch
  readonly by: Grouping
  readonly isLive: boolean
  /** Opens the decisions of a group. */
  onOpen(search: DecisionsSearch): void
}

/** Groups the decisions that match a filter by a common value, the largest group first. Each count links to the counted decisions. */
export function DecisionGroups({ search, by, isLive, onOpen }: DecisionGroupsProps) {
  const { q = '' } = search
  const zone = useTimeZone()
  const go = useListGo()
  const { name, nouns, none } = groupingTexts[by]
  const variables = { q, by: groupingTexts[by].by }
  const { data, error, isPlaceholderData, refetch, dataUpdatedAt } = useOperation(GROUPS, variables, isLive ? { everyMs: REFRESH_MS } : {})
  const counts = data?.decisionCounts
  const rows = useMemo(() => counts?.groups.nodes ?? [], [counts])
  const searchOf = useCallback(
    (terms: string): DecisionsSearch => changed(search, { q: joined(search.q ?? '', terms), group: undefined }),
    [search],
  )
  const most = rows[0]?.decisions ?? 1
  const columns = useMemo(() => columnsOf({ label: nouns[0], none, zone, most, searchOf }), [nouns, none, zone, most, searchOf])
  const keyOf = useCallback((index: number) => rows[index]?.terms ?? index, [rows])

  if (counts === undefined)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={280} role="status" aria-label="Decisions are being counted" />
    )
  const { totalCount } = counts.groups
  if (totalCount === 0)
    return q === '' ? <Empty title="No decisions yet" /> : <NoMatch one="decision" filter={q} onClear={() => go({ q: '' })} />
  return (
    <Stale error={error} atMs={dataUpdatedAt} everyMs={isLive ? REFRESH_MS : undefined} isFollowed={isLive} isOther={isPlaceholderData}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      <Group gap="xs" mb={4} mih={26}>
        <Text size="sm" fw={600} role="status" data-groups={totalCount}>
          {formatCount(totalCount)} {nouns[totalCount === 1 ? 0 : 1]} in {counts.isCut ? 'the newest ' : ''}
          {formatCount(counts.decisions)} {counts.decisions === 1 ? 'decision' : 'decisions'}
        </Text>
        <PanelCall of={`Decisions by ${name}`} document={GROUPS} variables={variables} />
        {totalCount > rows.length ? (
          <Text size="sm" data-more={totalCount - rows.length}>
            {formatCount(totalCount - rows.length)} more, each with at most as many decisions as the last one
          </Text>
        ) : null}
      </Group>
      <ListTable
        list="decision-groups"
        label={`Decisions by ${name}`}
        columns={columns}
        count={rows.length}
        row={(index) => rows[index]}
        keyOf={keyOf}
        onOpen={(index) => {
          const row = rows[index]
          if (row !== undefined) onOpen(searchOf(row.terms))
        }}
        listKey={`${by} ${q}`}
        height="calc(100vh - 330px - var(--g-chips, 0px))"
      />
    </Stale>
  )
}

interface ColumnsOptions {
  readonly label: string
  readonly none: string
  readonly zone: TimeZoneChoice
  /** The count of decisions in the largest group. */
  readonly most: number
  searchOf(terms: string): DecisionsSearch
}

const FAILED = 'outcome:PARTIAL,NO_VALID_HOST'

const columnsOf = ({ label, none, zone, most, searchOf }: ColumnsOptions): TableColumn<GroupRow>[] => [
  {
    key: 'key',
    label: label.charAt(0).toUpperCase() + label.slice(1),
    width: 'minmax(220px, 3fr)',
    value: ({ key }) => key ?? none,
    cell: ({ key }) => (key === null ? <span className="dimmed">{none}</span> : <span title={key}>{key}</span>),
  },
  {
    key: 'decisions',
    label: 'Decisions',
    width: '110px',
    align: 'right',
    value: ({ decisions }) => decisions,
    cell: (row) => <Opens search={searchOf(row.terms)} count={row.decisions} what={row.key ?? none} />,
  },
  {
    key: 'share',
    label: '',
    title: 'Relative to the largest group',
    width: '116px',
    value: ({ decisions }) => decisions / most,
    cell: ({ decisions }) => <div className="group-share" style={{ width: `${(100 * decisions) / most}%` }} aria-hidden />,
  },
  {
    key: 'failed',
    label: 'Without a host',
    width: '120px',
    align: 'right',
    value: ({ failed }) => failed,
    cell: ({ key, terms, failed }) =>
      failed === 0 ? '0' : <Opens search={searchOf(joined(terms, FAILED))} count={failed} what={`${key ?? none}, without a host`} />,
  },
  {
    key: 'last',
    label: 'Newest',
    width: 'minmax(155px, 1fr)',
    value: ({ lastAt }) => formatTime(lastAt, zone),
    cell: ({ lastAt }) => <span title={titleOfTime(lastAt)}>{formatTime(lastAt, zone)}</span>,
  },
]

interface OpensProps {
  readonly search: DecisionsSearch
  readonly count: number
  /** What is counted, for the accessible name of the link. */
  readonly what: string
}

/** A count that links to the counted decisions. */
function Opens({ search, count, what }: OpensProps) {
  return (
    <AnchorLink size="sm" to="/decisions" search={search} aria-label={`${what}: ${formatCount(count)}, open them`}>
      {formatCount(count)}
    </AnchorLink>
  )
}
