import { claimFields } from '@gantt/scheduler-core/query'
import { Skeleton, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { lazy, useCallback, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { useListGo, useListSearch } from '../../lib/browser/list-search.ts'
import { rememberList } from '../../lib/browser/present-list.ts'
import { conflictsLine } from '../../lib/conflicts.ts'
import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { useAt } from '../../lib/service/travel.ts'
import { usePages } from '../../lib/service/use-pages.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { type Figure, Figures } from '../../ui/chart/figures.tsx'
import { CopyList } from '../../ui/copy-list.tsx'
import { WriteButton } from '../../ui/dialog/write-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ChoiceBar } from '../../ui/filter/choice-bar.tsx'
import { useChoice } from '../../ui/filter/use-choice.ts'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { PagedList } from '../../ui/table/paged-list.tsx'
import { AgeBars } from './age-bars.tsx'
import { type ClaimRow, claimColumns, claimFieldsCopied, isHeld } from './claim-columns.tsx'
import { COUNTS, LIST } from './documents.ts'
import { type Kind, kindQueries, kinds } from './kinds.ts'
import { RevokeClaims } from './revoke-claims.tsx'

/** Loaded when a row is first shown in the side panel. */
const ClaimBeside = lazy(async () => ({ default: (await import('./claim-panel.tsx')).ClaimPanel }))

const REFRESH_MS = 5_000
/** The interval between counts in milliseconds. It is long, because the service examines every claim for each count. */
const COUNTS_EVERY_MS = 10_000
/** One call can end at most this many claims. */
const MAX_SELECTED = 1_000

const nouns = ['claim', 'claims'] as const

const keyOf = ({ id }: ClaimRow): string => id

/** The page of claims with their accounts and ages, to find leaked claims and expiring reservations, and to end claims. */
export function ClaimsPage() {
  const { q = '' } = useListSearch()
  const navigate = useNavigate()
  const go = useListGo()
  const { may } = useScopes()
  const mayRevoke = may('OPERATE') === true
  const [isRevoking, setRevoking] = useState(false)
  const pages = usePages(LIST, { q }, ({ claims }) => claims, { everyMs: REFRESH_MS })
  const { rows, load } = pages
  const at = useCallback((index: number) => [rows[index]].find((row) => row !== undefined && isHeld(row)), [rows])
  const choice = useChoice({ count: rows.length, at, keyOf, most: MAX_SELECTED })
  const revoke = { keys: 'R', label: 'Revoke the selected claims', isWrite: true, run: () => choice.items.size > 0 && setRevoking(true) }
  useShortcuts(mayRevoke ? [revoke] : [])

  return (
    <Page
      title="Claims"
      aside={
        <CopyList
          {...{ list: 'claims', nouns, pages, columns: claimColumns, fields: claimFieldsCopied }}
          call={{ document: LIST, variables: { q } }}
        />
      }
    >
      <Stack gap="xs">
        <div className="claims-above">
          <Counts />
          <AgeBars q={q} onFilter={(next) => go({ q: next })} everyMs={COUNTS_EVERY_MS} />
        </div>
        <PagedList
          list="claims"
          label="Claims"
          nouns={nouns}
          fields={claimFields}
          pages={pages}
          columns={claimColumns}
          keyOf={keyOf}
          onOpen={({ decision: { id } }) => {
            // a decision can have several claims, but the list for the keys `[` and `]` contains it once
            const decisions = [...new Set(rows.map(({ decision }) => decision.id))]
            rememberList('decisions', decisions.length, (index) => decisions[index] ?? '')
            void navigate({ to: '/decisions/$id', params: { id } })
          }}
          sidePanel={(id) => <ClaimBeside key={id} id={id} />}
          choice={mayRevoke ? choice : undefined}
          // The list fills the window below the header, the counts and the ages.
          table={{ height: 'calc(100vh - 370px - var(--g-chips, 0px))' }}
          chosen={
            <ChoiceBar
              choice={choice}
              found={pages.total}
              most={MAX_SELECTED}
              onChooseAll={async () => {
                const all = await load(MAX_SELECTED)
                // If the filter has changed meanwhile, `all` is undefined. Then nothing is selected, because the claims of the earlier
                // filter are no longer shown.
                if (all !== undefined) choice.choose(all.filter(isHeld))
              }}
            >
              <WriteButton size="compact-sm" color="red" onClick={() => setRevoking(true)} title="R">
                Revoke ...
              </WriteButton>
            </ChoiceBar>
          }
          none={
            <Empty title="No claims">A placed request holds resources by a claim until its instance runs or the claim is released.</Empty>
          }
          noMatch="Ended claims are kept for a limited time only."
        />
      </Stack>
      {isRevoking ? (
        <RevokeClaims
          claims={[...choice.items.values()]}
          onClose={() => setRevoking(false)}
          onDone={() => {
            setRevoking(false)
            choice.clear()
          }}
        />
      ) : null}
    </Page>
  )
}

function Counts() {
  const at = useAt()
  const { data, error, dataUpdatedAt, refetch } = useOperation(COUNTS, kindQueries, { everyMs: COUNTS_EVERY_MS })
  if (data === undefined) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Skeleton height={56} aria-hidden />
  // The service counts conflicts only for the present, so they are not shown for a past moment.
  const conflicts: readonly Figure[] = at === undefined ? [{ label: 'Conflicts', ...conflictsLine(data.replicas) }] : []
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
    <Stale error={error} atMs={dataUpdatedAt} everyMs={COUNTS_EVERY_MS}>
      <Figures figures={[...figures, ...conflicts]} />
    </Stale>
  )
}
