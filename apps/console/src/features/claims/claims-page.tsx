import { claimFields } from '@gantt/scheduler-core/query'
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useOperation } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { useScopes } from '../../lib/scopes.ts'
import { usePages } from '../../lib/use-pages.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Figure, Figures } from '../../ui/figures.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { type ClaimRow, claimColumns, isHeld } from './claim-columns.tsx'
import { COUNTS, LIST } from './documents.ts'
import { type Kind, kindQueries, kinds } from './kinds.ts'
import { RevokeClaims } from './revoke-claims.tsx'

const route = getRouteApi('/claims')

const REFRESH_MS = 5_000
/** Each count looks at every claim. */
const COUNTS_EVERY_MS = 10_000
/** So many can be ended by one call. */
const MOST_CHOSEN = 1_000

/** What holds room, for whom, for how long: leaks, reservations that end, and the way to end one that nobody else will. */
export function ClaimsPage() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { may } = useScopes()
  const mayRevoke = may('OPERATE') === true
  const [active, setActive] = useState(-1)
  const [isRevoking, setRevoking] = useState(false)
  const { chosen, toggle, clear } = useChoice()
  const { rows, total, error, isLoading, isOld, onRange, refresh } = usePages(LIST, { q }, ({ claims }) => claims, { everyMs: REFRESH_MS })
  const columns = useMemo(
    () => claimColumns(mayRevoke ? { ids: new Set(chosen.map(({ id }) => id)), toggle } : undefined),
    [mayRevoke, chosen, toggle],
  )
  const filter = (next: string, how: 'typing' | 'applied'): void =>
    void navigate({ search: next === '' ? {} : { q: next }, replace: how === 'typing' })
  const open = (index: number): void => {
    const id = rows[index]?.decision.id
    if (id !== undefined) void navigate({ to: '/decisions/$id', params: { id } })
  }
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  const row = rows[active]
  useShortcuts(
    mayRevoke
      ? [
          { keys: 'x', label: 'Choose the claim, or not', run: () => row !== undefined && isHeld(row) && toggle(row) },
          { keys: 'X', label: 'Revoke those that are chosen', isWrite: true, run: () => chosen.length > 0 && setRevoking(true) },
        ]
      : [],
  )

  return (
    <Page
      title="Claims"
      aside={
        chosen.length === 0 ? (
          <CopyAs items={[['Link', () => location.href]]} graphiql={toGraphiql(LIST, { q })} />
        ) : (
          <>
            <Text size="sm" role="status" data-chosen={chosen.length}>
              {formatCount(chosen.length)} chosen
            </Text>
            <Button size="compact-sm" variant="subtle" onClick={clear}>
              None
            </Button>
            <WriteButton size="compact-sm" color="red" onClick={() => setRevoking(true)} title="X">
              Revoke ...
            </WriteButton>
          </>
        )
      }
    >
      <Stack gap="xs">
        <Counts />
        <FilterBar label="Filter claims" fields={claimFields} value={q} onChange={filter} />
        {error === null ? null : <Problem error={error} onRetry={refresh} />}
        {isLoading ? (
          <Skeleton height={280} role="status" aria-label="Claims are being loaded" />
        ) : error === null && rows.length === 0 ? (
          <NoClaim q={q} onClear={() => filter('', 'applied')} />
        ) : rows.length === 0 ? null : (
          <div className={isOld ? 'stale' : undefined}>
            <Text size="sm" fw={600} role="status" data-count={total} mb={4}>
              {formatCount(total)} {total === 1 ? 'claim' : 'claims'}
            </Text>
            <Table
              label="Claims"
              columns={columns}
              count={rows.length}
              row={(index) => rows[index]}
              rowKey={(index) => rows[index]?.id ?? String(index)}
              active={active}
              onActive={setActive}
              onOpen={open}
              onRange={onRange}
              listKey={q}
            />
          </div>
        )}
      </Stack>
      {isRevoking ? (
        <RevokeClaims
          claims={chosen}
          onClose={() => setRevoking(false)}
          onDone={() => {
            setRevoking(false)
            clear()
          }}
        />
      ) : null}
    </Page>
  )
}

/** Claims that were chosen one by one: they stay chosen whatever the filter shows, as they were then. */
function useChoice() {
  const [chosen, setChosen] = useState<readonly ClaimRow[]>([])
  return useMemo(
    () => ({
      chosen,
      toggle: (row: ClaimRow): void =>
        setChosen((before) => {
          const others = before.filter(({ id }) => id !== row.id)
          return others.length < before.length || before.length >= MOST_CHOSEN ? others : [...before, row]
        }),
      clear: (): void => setChosen([]),
    }),
    [chosen],
  )
}

function Counts() {
  const { data, error, refetch } = useOperation(COUNTS, kindQueries, { everyMs: COUNTS_EVERY_MS })
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton height={56} aria-hidden />
  const figures = (Object.keys(kinds) as Kind[]).map((kind): Figure => {
    const { label, q, title } = kinds[kind]
    const count = data[kind].totalCount
    return {
      label,
      title,
      isBad: kind === 'old' && count > 0,
      value: (
        <AnchorLink to="/claims" search={{ q }} aria-label={`${label}: ${formatCount(count)}, open them`} data-kind={kind}>
          {formatCount(count)}
        </AnchorLink>
      ),
    }
  })
  return (
    <div className={error ? 'stale' : undefined}>
      <Figures figures={figures} />
    </div>
  )
}

function NoClaim({ q, onClear }: { readonly q: string; onClear(): void }) {
  if (q === '')
    return (
      <Empty title="Nothing is claimed">A request that is placed holds room by a claim, until its instance runs or it is given back.</Empty>
    )
  return (
    <Empty title="No claim matches">
      None is like <Code>{q}</Code>. Claims that ended are kept for a while only.
      <Group justify="center" mt="sm">
        <Button size="compact-sm" variant="outline" onClick={onClear}>
          Clear the filter
        </Button>
      </Group>
    </Empty>
  )
}
