import { hostFields } from '@gantt/scheduler-core/query'
import { Alert, Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, memo, Suspense, useCallback, useDeferredValue, useMemo, useState } from 'react'
import { formatCount, formatTime, useTimeZone } from '../../lib/format.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { type Change, changed } from '../../lib/list-search.ts'
import type { LiveState } from '../../lib/live.ts'
import { preference } from '../../lib/preferences.ts'
import { rememberList } from '../../lib/present-list.ts'
import { useAt } from '../../lib/travel.ts'
import { Age } from '../../ui/age.tsx'
import { BesideList } from '../../ui/beside-list.tsx'
import { ColumnChooser } from '../../ui/column-chooser.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { NoMatch } from '../../ui/no-match.tsx'
import { LiveBadge, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useBeside, useBesideKeys } from '../../ui/use-beside.ts'
import { useChoice } from '../../ui/use-choice.ts'
import { ChosenHosts } from './chosen-hosts.tsx'
import { FacetPanel } from './facet-panel.tsx'
import { narrowTo, narrowToGroup, toggleValue } from './filter-terms.ts'
import { type Fleet, useFleet } from './fleet.ts'
import type { FleetStore } from './fleet-store.ts'
import { hostColumns, withVerdicts } from './host-columns.tsx'
import { type HostList, useHand, useHostList } from './host-list.ts'
import { HostMap } from './host-map.tsx'
import { labelOf, readHost } from './host-row.ts'
import { HostTable } from './host-table.tsx'
import { MapSwitches } from './map-switches.tsx'
import { keyOfHost } from './opened-host.ts'
import { type HostColour, type HostsSearch, type HostView, hostViews } from './search.ts'
import { type FacetField, facetFields, NONE } from './select-hosts.ts'
import { useVerdicts, type VerdictsFeed } from './use-verdicts.ts'
import './hosts.css'

const route = getRouteApi('/hosts')
/** Seen once in the life of a service, so no other visit loads it. */
const EmptyFleet = lazy(async () => ({ default: (await import('./empty-fleet.tsx')).EmptyFleet }))

/** The page is large enough without them. */
const CopyHosts = lazy(async () => ({ default: (await import('./copy-hosts.tsx')).CopyHosts }))
const FilterChips = lazy(async () => ({ default: (await import('../../ui/filter-chips.tsx')).FilterChips }))
const ViewsButton = lazy(async () => ({ default: (await import('../../ui/views-button.tsx')).ViewsButton }))

/** Only whoever comes from a decision needs it. */
const VerdictLegend = lazy(async () => ({ default: (await import('./verdict-legend.tsx')).VerdictLegend }))

/** Loaded when they are first asked for. */
const HostBeside = lazy(async () => ({ default: (await import('./host-beside.tsx')).HostBeside }))
const ComparePanel = lazy(async () => ({ default: (await import('./compare-panel.tsx')).ComparePanel }))

/** Every host: who is there, how full, what is odd, where room is. */
export function HostsPage() {
  const at = useAt()
  return <HostsAt key={at ?? 'now'} isPast={at !== undefined} />
}

function HostsAt({ isPast }: { readonly isPast: boolean }) {
  const [isPaused, setPaused] = useState(() => preference('live') === 'off')
  const { fleet, live, error, isLoading, retry } = useFleet(isPaused)
  useShortcuts([{ keys: 'f', label: isPaused ? 'Follow changes' : 'Freeze: follow no changes', run: () => setPaused(!isPaused) }])

  if (fleet === undefined)
    return <Page title="Hosts">{isLoading || error === undefined ? <FirstLoad /> : <Problem error={error} onRetry={retry} />}</Page>
  return (
    <Page
      title="Hosts"
      aside={
        <>
          <Text size="xs" c="dimmed" component="span" data-as-of={fleet.asOf}>
            as of revision {fleet.asOf}
            {isPast ? null : (
              <>
                , received <Age atMs={fleet.receivedMs} ago />
              </>
            )}
          </Text>
          <LiveBadge state={live} />
          <Button size="compact-sm" variant="subtle" onClick={() => setPaused(!isPaused)} disabled={isPast}>
            {isPaused ? 'Follow' : 'Freeze'}
          </Button>
        </>
      }
    >
      <FeedNote live={live} fleet={fleet} />
      {error === undefined || isLoading ? null : <Problem error={error} onRetry={retry} />}
      {fleet.store.ordinals.length > 0 ? (
        <HostsView key={fleet.history} fleet={fleet} />
      ) : (
        <Suspense fallback={<FirstLoad />}>
          <EmptyFleet />
        </Suspense>
      )}
    </Page>
  )
}

/**
 * The line to write the filter in, and what it finds. The line answers every key at once; the lists follow as fast as they can,
 * a key behind at times.
 */
function HostsView({ fleet }: { readonly fleet: Fleet }) {
  const search = route.useSearch()
  const asked = useDeferredValue(search)
  const go = useGo()
  const hand = useHand()
  const feed = useVerdicts(fleet, asked)
  const { verdicts } = feed
  const only = useMemo(
    () => (verdicts === undefined || asked.verdict === undefined ? undefined : { verdicts, key: asked.verdict }),
    [verdicts, asked.verdict],
  )
  const list = useHostList(fleet, asked.q ?? '', asked.sort ?? 'host', hand.isHeld, only)
  const { store } = fleet

  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start">
        <FilterBar
          label="Filter hosts"
          fields={hostFields}
          value={search.q ?? ''}
          onChange={(next, how) => go({ q: next }, how)}
          values={(field) =>
            facetFields
              .filter((facet) => facet === field)
              .flatMap((facet) => list.selection.facets[facet].filter(({ value }) => value !== NONE))
          }
          Chips={FilterChips}
        />
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={search.view ?? 'split'}
          onChange={(next) => go({ view: hostViews.find((one) => one === next) })}
          data={hostViews.map((one) => ({ value: one, label: viewNames[one] }))}
        />
        <Suspense
          fallback={
            <Button size="compact-sm" variant="subtle" disabled>
              Views
            </Button>
          }
        >
          <ViewsButton list="hosts" />
          <CopyHosts
            text={list.text}
            sort={asked.sort}
            isOfVerdict={only !== undefined}
            count={list.ordinals.length}
            verdicts={verdicts}
            rows={() => Array.from(list.ordinals, (one) => readHost(store, one))}
          />
        </Suspense>
      </Group>
      {asked.decision === undefined ? null : (
        <Suspense fallback={<Skeleton height={48} />}>
          <VerdictLegend
            feed={feed}
            decision={asked.decision}
            instance={asked.instance}
            chosen={asked.verdict}
            // a count is of all that it was said of, so it takes the place of the filter
            onChoose={(verdict) => go({ verdict, q: undefined })}
            onClose={() => go({ decision: undefined, instance: undefined, verdict: undefined, colour: undefined })}
          />
        </Suspense>
      )}
      <HostLists fleet={fleet} list={list} verdicts={verdicts} search={asked} handlers={hand.handlers} isBehind={asked !== search} />
    </Stack>
  )
}

interface HostListsProps {
  readonly fleet: Fleet
  readonly list: HostList
  readonly verdicts: VerdictsFeed['verdicts']
  readonly search: HostsSearch
  readonly handlers: ReturnType<typeof useHand>['handlers']
  /** More was asked meanwhile. */
  readonly isBehind: boolean
}

/** What a filter finds: counted, as a map, as a table. */
const HostLists = memo(function HostLists({ fleet, list, verdicts, search, handlers, isBehind }: HostListsProps) {
  const { view = 'split', group = 'az', colour = usualColour(search), sort = 'host', compare } = search
  // until the decision is made again, or where it cannot be
  const shownColour = colour === 'verdict' && verdicts === undefined ? 'mem' : colour
  const navigate = route.useNavigate()
  const columns = useMemo(() => (verdicts === undefined ? hostColumns : withVerdicts(verdicts)), [verdicts])
  const go = useGo()
  const isWide = useMediaQuery('(min-width: 1000px)', undefined, { getInitialValueInEffect: false })
  const [areFacetsWanted, setFacetsWanted] = useState<boolean | undefined>()
  const areFacetsOn = areFacetsWanted ?? isWide ?? true
  const { store } = fleet
  const { ordinals, selection, text } = list
  const total = store.ordinals.length
  const found = selection.ordinals.length
  const at = useCallback((index: number) => ordinals[index], [ordinals])
  const choice = useChoice({ count: ordinals.length, at, keyOf })
  const open = useCallback(
    (ordinal: number | undefined): void => {
      if (ordinal === undefined) return
      const read = (one: number) => ({ host: store.nameOf(one), node: store.nodeOf(one) })
      const { host, node } = read(ordinal)
      rememberList('hosts', ordinals.length, (index) => keyOfHost(read(ordinals[index] ?? 0)))
      void navigate({ to: '/hosts/$host', params: { host }, search: host === node ? {} : { node } })
    },
    [store, ordinals, navigate],
  )
  const idAt = useCallback((index: number) => besideIdOf(store, ordinals[index] ?? 0), [store, ordinals])
  const beside = useBeside()
  const besideKeys = useBesideKeys(beside, idAt)
  const besideCells = useBesideKeys(
    beside,
    useCallback((ordinal: number) => besideIdOf(store, ordinal), [store]),
  )
  // a press shows the host beside the map; another on the same host, or where there is no room, opens its page
  const press = (ordinal: number): void => {
    if (besideCells === undefined || besideIdOf(store, ordinal) === beside.id) open(ordinal)
    else besideCells.onToggle(ordinal)
  }
  const toggleCompare = (): void => go({ compare: compare === 'yes' ? undefined : 'yes' })
  useShortcuts([{ keys: 'c', label: 'Compare the chosen hosts with the others', run: toggleCompare }])
  const toggle = (field: FacetField, value: string, isAdded: boolean): void => go({ q: toggleValue(text, field, value, isAdded) })

  return (
    <div aria-busy={isBehind}>
      <Group gap="xs" mb="xs">
        <Text size="sm" fw={600} role="status" data-count={found}>
          {formatCount(found)} of {formatCount(total)} {total === 1 ? 'host' : 'hosts'}
        </Text>
        <Button size="compact-sm" variant="subtle" aria-expanded={areFacetsOn} onClick={() => setFacetsWanted(!areFacetsOn)}>
          {areFacetsOn ? 'Hide facets' : 'Show facets'}
        </Button>
        <ChosenHosts fleet={fleet} choice={choice} ordinals={ordinals} />
        <Button size="compact-sm" variant="subtle" aria-expanded={compare === 'yes'} title="c" onClick={toggleCompare}>
          Compare
        </Button>
        <div className="hosts-columns">{view === 'map' ? null : <ColumnChooser list="hosts" columns={columns} />}</div>
      </Group>
      {compare === 'yes' ? (
        <Suspense fallback={<Skeleton height={120} />}>
          <ComparePanel
            fleet={fleet}
            ordinals={selection.ordinals}
            chosen={choice.items}
            onNarrow={(terms) => go({ q: narrowTo(text, terms) })}
            onClose={toggleCompare}
          />
        </Suspense>
      ) : null}
      <div className="hosts" data-facets={areFacetsOn ? 'on' : 'off'}>
        {areFacetsOn ? <FacetPanel facets={selection.facets} text={text} onToggle={toggle} /> : null}
        {found === 0 && ordinals.length === 0 ? (
          <NoMatch one="host" filter={search.q ?? search.verdict ?? ''} onClear={() => go({ q: '', verdict: undefined })}>
            There are {formatCount(total)} in all.
          </NoMatch>
        ) : (
          <div>
            {view === 'table' ? null : (
              <MapSwitches
                group={group}
                colour={shownColour}
                hasVerdicts={verdicts !== undefined}
                onGroup={(next) => go({ group: next })}
                onColour={(next) => go({ colour: next })}
              />
            )}
            <BesideList
              beside={beside}
              height={view === 'table' ? 'calc(100vh - 205px - var(--g-chips, 0px))' : 'calc(100vh - 241px - var(--g-chips, 0px))'}
              panel={(id) => <HostOf key={id} store={store} id={id} />}
            >
              <div className="hosts-lists">
                {view === 'table' ? null : (
                  <HostMap
                    fleet={fleet}
                    ordinals={selection.ordinals}
                    group={group}
                    colour={shownColour}
                    verdicts={verdicts}
                    height={view === 'map' ? 'max(240px, calc(100vh - 315px - var(--g-chips, 0px)))' : '240px'}
                    onOpenGroup={(key) => go({ q: narrowToGroup(text, group, key) })}
                    onOpen={open}
                    onPress={press}
                    beside={besideCells}
                    choice={choice}
                  />
                )}
                {view === 'map' ? null : (
                  <div {...handlers}>
                    <HostTable
                      fleet={fleet}
                      columns={columns}
                      ordinals={ordinals}
                      choice={choice}
                      beside={besideKeys}
                      filter={text}
                      sort={sort}
                      height={view === 'split' ? 'calc(100vh - 535px - var(--g-chips, 0px))' : 'calc(100vh - 205px - var(--g-chips, 0px))'}
                      onSort={(next) => go({ sort: next })}
                      onOpen={open}
                    />
                  </div>
                )}
              </div>
            </BesideList>
          </div>
        )}
      </div>
    </div>
  )
})

/** What names a host in the address, whatever it is called. */
const besideIdOf = (store: FleetStore, ordinal: number): string => labelOf({ host: store.nameOf(ordinal), node: store.nodeOf(ordinal) })

/** The host that the address names, beside the list. */
function HostOf({ store, id }: { readonly store: FleetStore; readonly id: string }) {
  const ordinal = useMemo(() => store.ordinals.find((one) => besideIdOf(store, one) === id), [store, id])
  const [host, node] = ordinal === undefined ? [id, id] : [store.nameOf(ordinal), store.nodeOf(ordinal)]
  return <HostBeside host={host} node={node} />
}

const keyOf = (ordinal: number): number => ordinal

/** Changes what the address says. Typing replaces it, everything else is a step that Back undoes. */
function useGo(): (change: SearchChange, how?: 'typing' | 'applied') => void {
  const navigate = route.useNavigate()
  return useCallback(
    (change, how = 'applied') =>
      void navigate({ search: (before) => withoutDefaults(changed(before, change)), replace: how === 'typing', resetScroll: false }),
    [navigate],
  )
}

type SearchChange = Change<HostsSearch>

/** Said when what is shown may be old: since when, and that it is tried on. */
function FeedNote({ live, fleet }: { readonly live: LiveState; readonly fleet: Fleet }) {
  const zone = useTimeZone()
  if (live !== 'lost') return null
  return (
    <Alert color="yellow" role="status" mb="sm" title="The feed is interrupted">
      What is shown is from {formatTime(new Date(fleet.receivedMs).toISOString(), zone)}. The service is tried every few seconds; changes
      will appear by themselves.
    </Alert>
  )
}

function FirstLoad() {
  return (
    <Stack gap="xs" aria-busy aria-label="Hosts are being loaded" role="status">
      <Skeleton height={36} />
      <Skeleton height={200} />
      <Skeleton height={28 * 8} />
    </Stack>
  )
}

const viewNames: Readonly<Record<HostView, string>> = { split: 'Split', table: 'Table', map: 'Map' }

const defaults: HostsSearch = { sort: 'host', view: 'split', group: 'az' }

const usualColour = ({ decision }: HostsSearch): HostColour => (decision === undefined ? 'mem' : 'verdict')

/** What is as it is without being said is left out of the address. */
const withoutDefaults = (search: HostsSearch): HostsSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      ([name, value]) => (name === 'colour' ? usualColour(search) : defaults[name as keyof HostsSearch]) !== value,
    ),
  )
