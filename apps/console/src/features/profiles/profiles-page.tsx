import { Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { formatCount, formatShare } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useAt } from '../../lib/service/travel.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { Table, type TableColumn } from '../../ui/table/table.tsx'
import { LIST } from './documents.ts'
import { Plugins } from './plugins.tsx'
import { REFRESH_MS } from './refresh.ts'
import { StateBadge } from './state-badge.tsx'

const route = getRouteApi('/profiles')

type Row = ResultOf<typeof LIST>['profiles'][number]

/** The page of all profiles by name, with the active version and the rollout. */
export function ProfilesPage() {
  const navigate = route.useNavigate()
  const at = useAt()
  const [active, setActive] = useState(-1)
  const { data, error, refetch, dataUpdatedAt } = useOperation(LIST, {}, { everyMs: REFRESH_MS })
  const rows = data?.profiles ?? []
  const open = (index: number): void => {
    const name = rows[index]?.name
    if (name !== undefined) void navigate({ to: '/profiles/$name', params: { name } })
  }
  return (
    <Page
      title="Profiles"
      // the command cannot show the past
      aside={<CopyAs call={{ document: LIST }} items={at === undefined ? [['Command line', () => 'gantt profile list']] : []} />}
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          A profile defines how requests are decided: its filters in their order, and its weighers with their multipliers. A call can name a
          profile; if it names none, the profile default decides.
        </Text>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined ? (
          error ? null : (
            <Skeleton height={160} role="status" aria-label="Profiles are being loaded" />
          )
        ) : (
          <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
            <Text size="sm" fw={600} role="status" data-count={rows.length}>
              {formatCount(rows.length)} {rows.length === 1 ? 'profile' : 'profiles'}
            </Text>
            <Table
              label="Profiles"
              columns={columns}
              count={rows.length}
              row={(index) => rows[index]}
              rowKey={(index) => rows[index]?.name ?? String(index)}
              active={active}
              onActive={setActive}
              onOpen={open}
              isMain
            />
          </Stale>
        )}
        <Plugins />
      </Stack>
    </Page>
  )
}

const columns: TableColumn<Row>[] = [
  { key: 'name', label: 'Name', width: 'minmax(150px, 1fr)', value: ({ name }) => name },
  { key: 'active', label: 'Active', width: '80px', value: ({ active }) => `@${active.number}` },
  {
    key: 'tried',
    label: 'Candidate',
    width: '150px',
    value: ({ rollout }) => (rollout === null ? '' : `@${rollout.candidate.number} ${rollout.mode} ${rollout.percent}`),
    cell: ({ rollout }) =>
      rollout === null ? (
        <span className="dimmed">none</span>
      ) : (
        <>
          @{rollout.candidate.number} <StateBadge state={rollout.mode} percent={rollout.mode === 'CANARY' ? rollout.percent : undefined} />
        </>
      ),
  },
  {
    key: 'agreement',
    label: 'Agreement',
    title:
      'The share of decisions in which the candidate and the active version choose the same hosts, as counted by the replica that answers this page.',
    width: '96px',
    align: 'right',
    value: ({ rollout }) => (rollout?.agreement == null ? '' : formatShare(rollout.agreement)),
  },
  {
    key: 'filters',
    label: 'Filters',
    width: '70px',
    align: 'right',
    value: ({ active }) => active.filters.filter(({ shadow }) => !shadow).length,
  },
  {
    key: 'shadows',
    label: 'In shadow',
    title: 'Filters that run, but refuse no host.',
    width: '80px',
    align: 'right',
    value: ({ active }) => active.filters.filter(({ shadow }) => shadow).length || '',
  },
  { key: 'weighers', label: 'Weighers', width: '90px', align: 'right', value: ({ active }) => active.weighers.length },
  { key: 'versions', label: 'Versions', width: '80px', align: 'right', value: ({ versions }) => versions.totalCount },
  { key: 'note', label: 'Note of the active version', width: 'minmax(200px, 3fr)', value: ({ active }) => active.note ?? '' },
]
