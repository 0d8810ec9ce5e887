import { Alert, Code, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { useNeighbourKeys } from '../../../lib/browser/present-list.ts'
import { EXPLANATION, readMatrix } from '../../../lib/explanation.ts'
import { useOperation } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { goTo } from '../../../ui/heading.tsx'
import { Page } from '../../../ui/page.tsx'
import { PathList } from '../../../ui/path-list.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Compare } from '../compare/compare.tsx'
import { type Decision, DecisionHeader, titleOf } from '../decision-header.tsx'
import { Destinations } from '../destinations.tsx'
import { DECISION } from '../documents.ts'
import { FilterFunnel } from '../filters/filter-funnel.tsx'
import { HostMatrix } from '../filters/host-matrix.tsx'
import { shortfallsOf } from '../filters/shortfalls.ts'
import { Fitting } from '../fitting/fitting.tsx'
import { recordedSteps, scaleFor } from '../funnel.ts'
import { findNames, type Selection, seenBefore } from '../matrix.ts'
import { membersOf } from '../members.ts'
import { type DecisionSearch, readDecisionSearch } from '../search.ts'
import { WeighTable } from '../weights/weigh-table.tsx'
import { WhyNot } from '../why-not/why-not.tsx'
import { DecisionCopies } from './decision-copies.tsx'
import { MapLink } from './map-link.tsx'
import { NearMisses } from './near-misses.tsx'
import { Receipt } from './receipt.tsx'
import { ReplayBy } from './replay-by.tsx'
import { ShadowFilters } from './shadow-filters.tsx'
import { SimulateLink } from './simulate-link.tsx'
import { SolverOutcome } from './solver-outcome.tsx'
import { Tries } from './tries.tsx'
import '../decisions.css'
import '../filters/matrix.css'

const route = getRouteApi('/decisions/$id')

/** The page of a decision: first the summary, then all details. */
export function DecisionPage() {
  const { id } = route.useParams()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useOperation(DECISION, { id }, { keepPrevious: false })
  useNeighbourKeys('decisions', 'decision', id, (next) => {
    void navigate({ to: '/decisions/$id', params: { id: next }, search: ({ scale }) => readDecisionSearch({ scale }), replace: true })
  })
  if (data === undefined)
    return (
      <Page title="Decision">
        {error ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton height={240} role="status" aria-label="The decision is being loaded" />
        )}
      </Page>
    )
  if (data.decision === null)
    return (
      <Page title="Decision">
        <Empty title="Decision not found">
          No decision has the id <Code>{id}</Code>. It may never have been made, or its record is no longer stored.{' '}
          <AnchorLink to="/decisions">Show the retained decisions</AnchorLink>.
        </Empty>
      </Page>
    )
  return <Explained key={id} decision={data.decision} />
}

type Change = { readonly [name in keyof DecisionSearch]: DecisionSearch[name] | undefined }

function useGo(): (change: Change, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (change, how = 'applied') =>
      void navigate({
        search: (before) => Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== undefined)),
        replace: how === 'typing',
        resetScroll: false,
      }),
    [navigate],
  )
}

/** Shows the recorded facts at once, and all other facts when the decision has been replayed. */
function Explained({ decision }: { readonly decision: Decision }) {
  const search = route.useSearch()
  const go = useGo()
  const count = decision.spec.numInstances
  const chosen = search.instance === undefined ? null : Math.min(Number(search.instance), count) - 1
  const { data, error, refetch, isPlaceholderData } = useOperation(
    EXPLANATION,
    { id: decision.id, instance: chosen, profile: search.by ?? null, revision: search.on ?? null },
    { staleMs: 60_000 },
  )
  const explained = data?.explainPlacement
  const isAsDecided = search.by === undefined && search.on === undefined
  const scale = search.scale ?? scaleFor(explained?.hostCount ?? decision.hostCount)
  const onScale = (next: 'log' | 'linear'): void => go({ scale: next })

  return (
    <Page
      title={titleOf(decision)}
      aside={
        <>
          <MapLink id={decision.id} instance={search.instance} />
          <SimulateLink decision={decision} />
          <DecisionCopies id={decision.id} instance={chosen} document={decision.spec.document} />
        </>
      }
    >
      <Stack gap="md">
        <DecisionHeader decision={decision} fidelity={isAsDecided ? explained?.fidelity : undefined} />
        <PathList label="Without effect" paths={(decision.ignoredFields ?? []).filter((path) => !decision.unlocatedFields?.includes(path))}>
          Ignored fields (nothing in the profile reads them):
        </PathList>
        <PathList label="Not located" paths={decision.unlocatedFields ?? []}>
          Fields without effect, because no recent document locates what they name:
        </PathList>
        <Tries decision={decision} />
        {count > 1 ? (
          <Instances
            count={count}
            shown={explained?.instanceIndex ?? chosen ?? 0}
            onChoose={(instance) => go({ instance, host: undefined, pin: undefined })}
          />
        ) : null}
        <ReplayBy
          recorded={decision.profile === null ? undefined : `${decision.profile.profileName}@${decision.profile.number}`}
          by={search.by}
          on={search.on}
          onAsk={({ by, on }) =>
            go({ by, on, filter: undefined, reason: undefined, short: undefined, sole: undefined, combo: undefined, try: undefined })
          }
        />
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {explained !== undefined ? (
          <Headline isOld={isPlaceholderData}>{explained.headline}</Headline>
        ) : error ? null : (
          <Skeleton height={28} role="status" aria-label="The decision is being replayed" />
        )}
        {explained?.fidelity === 'APPROXIMATE' && isAsDecided ? (
          <Alert color="yellow" title="Approximate">
            The decision could not be replayed exactly: its state or its release is no longer available. An approximation is shown.
          </Alert>
        ) : null}
        <Receipt decision={decision} />
        <SolverOutcome solver={decision.solver} />
        <Destinations destinations={decision.destinations} members={membersOf(decision.spec.document, count)} />
        {explained?.hostCount === 0 ? (
          <Empty title="No hosts to check">
            No filter could run. <AnchorLink to="/hosts">Show the present hosts</AnchorLink>.
          </Empty>
        ) : explained !== undefined ? (
          <Evidence
            key={`${explained.instanceIndex} ${search.by ?? ''} ${search.on ?? ''}`}
            decisionId={decision.id}
            instance={chosen}
            explained={explained}
            search={search}
            scale={scale}
            isOld={isPlaceholderData}
            go={go}
          />
        ) : chosen === null ? (
          <FilterFunnel
            hostCount={decision.hostCount}
            steps={recordedSteps(decision.funnel)}
            scale={scale}
            selection={{}}
            onScale={onScale}
          />
        ) : null}
        {explained === undefined && !error ? <Skeleton height={320} aria-hidden /> : null}
        {decision.outcome === 'PLACED' ? null : (
          <Fitting
            decisionId={decision.id}
            isAsked={search.fit === 'yes'}
            onAsk={(isAsked) => go({ fit: isAsked ? 'yes' : undefined })}
            onOpen={(host) => go({ host })}
          />
        )}
        <Compare
          decision={decision}
          other={search.with}
          scale={scale}
          onChoose={(other) => go({ with: other })}
          onOpen={(host) => go({ host })}
        />
        <RequestDocument document={decision.spec.document} />
      </Stack>
    </Page>
  )
}

/** The result in one sentence. */
function Headline({ isOld, children }: { readonly isOld: boolean; readonly children: string }) {
  const sentence = useRef<HTMLParagraphElement>(null)
  useShortcuts([{ keys: '1', label: 'Go to: What happened', run: () => goTo(sentence.current) }])
  return (
    <Text size="lg" data-headline ref={sentence} tabIndex={-1} className={isOld ? 'g-heading stale' : 'g-heading'}>
      {children}
    </Text>
  )
}

interface EvidenceProps {
  readonly decisionId: string
  readonly instance: number | null
  readonly explained: ResultOf<typeof EXPLANATION>['explainPlacement']
  readonly search: DecisionSearch
  readonly scale: 'log' | 'linear'
  readonly isOld: boolean
  go(change: Change, how?: 'typing' | 'applied'): void
}

/**
 * The funnel, the matrix, the explanation for one host, the nearest hosts, and the weights. A click in one of these sections opens details
 * in another section.
 */
function Evidence({ decisionId, instance, explained, search, scale, isOld, go }: EvidenceProps) {
  const matrix = useMemo(() => readMatrix(explained.matrix), [explained])
  const asked = useMemo(() => explained.steps.filter(({ skippedBecause }) => skippedBecause === null), [explained])
  const { filter, reason, short, sole, combo, passed, find, host, all } = search
  const selection = useMemo(
    (): Selection => ({ filter, reason, short, sole, combo, passed, find }),
    [filter, reason, short, sole, combo, passed, find],
  )
  const shortfalls = useMemo(() => shortfallsOf(matrix), [matrix])
  const orderOf = useMemo(() => seenBefore(matrix), [matrix])
  const suggest = useCallback((text: string) => findNames(matrix, text), [matrix])
  const isWide = useMediaQuery('(min-width: 1240px)', undefined, { getInitialValueInEffect: false }) ?? false
  // True after a host was opened from the rows of the matrix in a wide window. The answer about the host is then shown next to the matrix,
  // and the focus stays in the rows.
  const [isInRows, setInRows] = useState(false)
  const section = useRef<HTMLDivElement>(null)
  const wantsMatrix = useRef(false)

  // after a click on a count, the list of its hosts is scrolled into view and gets the focus
  useEffect(() => {
    if (!wantsMatrix.current) return
    wantsMatrix.current = false
    showMatrix(section.current)
  })
  const select = (next: Selection): void =>
    go({
      filter: undefined,
      reason: undefined,
      short: undefined,
      sole: undefined,
      combo: undefined,
      passed: undefined,
      find,
      ...(next as DecisionSearch),
    })
  const ask = (name: string): void => {
    setInRows(false)
    go({ host: name })
  }
  const close = (): void => {
    wantsMatrix.current = true
    go({ host: undefined })
  }

  return (
    <div className={isOld ? 'stale' : undefined}>
      <Stack gap="lg">
        <FilterFunnel
          hostCount={explained.hostCount}
          steps={explained.steps}
          scale={scale}
          selection={selection}
          shortfalls={shortfalls}
          onScale={(next) => go({ scale: next })}
          onSelect={(next) => {
            wantsMatrix.current = true
            select(next)
          }}
        />
        <ShadowFilters steps={explained.shadowSteps} />
        <div className="explore" data-open={host === undefined ? undefined : true} ref={section}>
          <WhyNot
            decisionId={decisionId}
            instance={instance}
            profile={search.by}
            revision={search.on}
            host={host}
            suggest={suggest}
            takesFocus={!isInRows}
            onAsk={ask}
            onClose={close}
          />
          <HostMatrix
            matrix={matrix}
            asked={asked}
            selection={selection}
            sort={search.sort ?? 'distance'}
            all={all === 'yes'}
            host={host}
            isNarrow={host !== undefined && isWide}
            onSelect={select}
            onFind={(text) => go({ find: text === '' ? undefined : text }, 'typing')}
            onSort={(sort) => go({ sort: sort === 'distance' ? undefined : sort })}
            onAll={(next) => go({ all: next ? 'yes' : undefined, ...(next ? {} : { combo: undefined }) })}
            onOpen={(name) => {
              setInRows(isWide)
              go({ host: name })
            }}
          />
        </div>
        <WeighTable
          decisionId={decisionId}
          explained={explained}
          pin={search.pin}
          numbers={search.numbers ?? 'weighted'}
          tried={search.try}
          orderOf={orderOf}
          onTry={(tried) => go({ try: tried }, 'typing')}
          onNumbers={(numbers) => go({ numbers: numbers === 'weighted' ? undefined : numbers })}
          onPin={(pin) => go({ pin })}
          onOpen={ask}
        />
        <NearMisses misses={explained.nearMisses} onOpen={ask} />
      </Stack>
    </div>
  )
}

function showMatrix(section: HTMLElement | null): void {
  section?.querySelector('.matrix')?.scrollIntoView({ block: 'nearest' })
  section?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true })
}

/** At most this many instances have tabs. Further instances can only be opened by their URL. */
const MAX_TABS = 50

interface InstancesProps {
  readonly count: number
  /** The index of the shown instance, from 0. */
  readonly shown: number
  onChoose(instance: string | undefined): void
}

/** Tabs, one for each instance. An instance is evaluated on the fleet after the earlier instances took their resources. */
function Instances({ count, shown, onChoose }: InstancesProps) {
  const names = Array.from({ length: Math.min(count, MAX_TABS) }, (_, i) => String(i + 1))
  return (
    <Tabs value={String(shown + 1)} onChange={(next) => onChoose(next ?? undefined)}>
      <Tabs.List aria-label="Instances">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} aria-label={`Instance ${name}`}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}

function RequestDocument({ document }: { readonly document: unknown }) {
  return (
    <details>
      <summary>The original request</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
      <pre className="request mono" tabIndex={0}>
        {JSON.stringify(document, null, 2)}
      </pre>
    </details>
  )
}
