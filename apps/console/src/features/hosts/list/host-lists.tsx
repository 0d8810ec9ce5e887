import { parseSort, printSort } from '@gantt/scheduler-core/query'
import { Button, Skeleton, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconLayoutSidebar } from '@tabler/icons-react'
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { rememberList } from '../../../lib/browser/present-list.ts'
import { formatCount } from '../../../lib/format.ts'
import { SidePanel } from '../../../ui/dialog/side-panel.tsx'
import { useSidePanel, useSidePanelKeys } from '../../../ui/dialog/use-side-panel.ts'
import { NoMatch } from '../../../ui/filter/no-match.tsx'
import { useChoice } from '../../../ui/filter/use-choice.ts'
import { ColumnChooser } from '../../../ui/table/column-chooser.tsx'
import { ListHead } from '../../../ui/table/list-head.tsx'
import type { Fleet } from '../fleet.ts'
import type { FleetStore } from '../fleet-store.ts'
import { keyOfHost } from '../host/opened-host.ts'
import { keyOf as keyOfName, readHostName } from '../host-row.ts'
import { HostMap } from '../map/host-map.tsx'
import { MapSwitches } from '../map/map-switches.tsx'
import type { VerdictsFeed } from '../map/use-verdicts.ts'
import type { HostsSearch } from '../search.ts'
import { ChosenHosts } from './chosen-hosts.tsx'
import { FacetPanel } from './facet-panel.tsx'
import { canonical, narrowTo, narrowToGroup, toggleValue } from './filter-terms.ts'
import { hostColumns, withVerdicts } from './host-columns.tsx'
import type { HostList, useHand } from './host-list.ts'
import { HostTable } from './host-table.tsx'
import { route, useGo, usualColour, usualSort } from './hosts-address.ts'
import type { FacetName } from './select-hosts.ts'

/** Loaded at the first use. */
const HostBeside = lazy(async () => ({ default: (await import('../host/host-panel.tsx')).HostPanel }))
const ComparePanel = lazy(async () => ({ default: (await import('../compare/compare-panel.tsx')).ComparePanel }))

interface HostListsProps {
  readonly fleet: Fleet
  readonly list: HostList
  readonly verdicts: VerdictsFeed['verdicts']
  readonly search: HostsSearch
  readonly handlers: ReturnType<typeof useHand>['handlers']
  /** True if the lists still show the result of an earlier filter than the one in the input. */
  readonly isBehind: boolean
}

/** The hosts that match a filter: their count, a map and a table. */
export const HostLists = memo(function HostLists({ fleet, list, verdicts, search, handlers, isBehind }: HostListsProps) {
  const { view = 'split', group = 'az', colour = usualColour(search), sort = usualSort, compare } = search
  // verdicts are missing until the decision is replayed, or if it cannot be replayed
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
  // hosts that left the fleet can no longer be changed, so they are removed from the selection
  const { items, choose } = choice
  const hasLeft = [...items.values()].some((ordinal) => !store.has(ordinal))
  useEffect(() => {
    if (hasLeft) choose([...items.values()].filter(store.has))
  }, [hasLeft, items, choose, store])
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
  const idAt = useCallback((index: number) => panelIdOf(store, ordinals[index] ?? 0), [store, ordinals])
  const sidePanel = useSidePanel()
  const panelKeys = useSidePanelKeys(sidePanel, idAt)
  const panelCells = useSidePanelKeys(
    sidePanel,
    useCallback((ordinal: number) => panelIdOf(store, ordinal), [store]),
  )
  // The first click on a host shows it in the side panel, and a second click opens its page. In a narrow window, the first click opens the
  // page.
  const press = (ordinal: number): void => {
    if (panelCells === undefined || panelIdOf(store, ordinal) === sidePanel.id) open(ordinal)
    else panelCells.onToggle(ordinal)
  }
  const compareButton = useRef<HTMLButtonElement>(null)
  const toggleCompare = (): void => go((now) => ({ compare: now.compare === 'yes' ? undefined : 'yes' }))
  useShortcuts([{ keys: 'c', label: 'Compare the selected hosts with all others', run: toggleCompare }])
  const toggle = (field: FacetName, value: string, isAdded: boolean): void =>
    go(({ q = '' }) => ({ q: toggleValue(canonical(q), field, value, isAdded) }))

  return (
    <div aria-busy={isBehind}>
      <ListHead chooser={view === 'map' ? null : <ColumnChooser list="hosts" columns={columns} />}>
        <Text size="sm" fw={600} role="status" data-count={found}>
          {formatCount(found)} of {formatCount(total)} {total === 1 ? 'host' : 'hosts'}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label="Facets"
          title="Facets"
          aria-expanded={areFacetsOn}
          onClick={() => setFacetsWanted(!areFacetsOn)}
        >
          {/* while hosts are selected, the buttons for them need the space of the word, so only an icon is shown */}
          {items.size > 0 ? <IconLayoutSidebar size={16} aria-hidden /> : 'Facets'}
        </Button>
        <ChosenHosts fleet={fleet} choice={choice} ordinals={ordinals} />
        <Button ref={compareButton} size="compact-sm" variant="subtle" aria-expanded={compare === 'yes'} title="c" onClick={toggleCompare}>
          Compare
        </Button>
      </ListHead>
      {compare === 'yes' ? (
        <Suspense fallback={<Skeleton height={120} />}>
          <ComparePanel
            fleet={fleet}
            ordinals={selection.ordinals}
            chosen={choice.items}
            onNarrow={(terms) => go(({ q = '' }) => ({ q: narrowTo(canonical(q), terms) }))}
            onClose={() => {
              compareButton.current?.focus()
              toggleCompare()
            }}
          />
        </Suspense>
      ) : null}
      <div className="hosts" data-facets={areFacetsOn ? 'on' : 'off'}>
        {areFacetsOn ? <FacetPanel facets={selection.facets} text={text} onToggle={toggle} /> : null}
        {found === 0 && ordinals.length === 0 ? (
          <NoMatch one="host" filter={search.q ?? search.verdict ?? ''} onClear={() => go({ q: '', verdict: undefined })}>
            There are {formatCount(total)} in total.
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
            <SidePanel
              state={sidePanel}
              height={view === 'table' ? 'calc(100vh - 199px - var(--g-chips, 0px))' : 'calc(100vh - 235px - var(--g-chips, 0px))'}
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
                    height={view === 'map' ? 'max(240px, calc(100vh - 309px - var(--g-chips, 0px)))' : '240px'}
                    onOpenGroup={(key) => go(({ q = '' }) => ({ q: narrowToGroup(canonical(q), group, key) }))}
                    onOpen={open}
                    onPress={press}
                    sidePanel={panelCells}
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
                      sidePanel={panelKeys}
                      filter={text}
                      sort={sort}
                      height={view === 'split' ? 'calc(100vh - 529px - var(--g-chips, 0px))' : 'calc(100vh - 199px - var(--g-chips, 0px))'}
                      onSort={(press) => go((now) => ({ sort: printSort(press(parseSort(now.sort ?? usualSort))) }))}
                      onOpen={open}
                    />
                  </div>
                )}
              </div>
            </SidePanel>
          </div>
        )}
      </div>
    </div>
  )
})

/** The key of a host in the URL. */
const panelIdOf = (store: FleetStore, ordinal: number): string => keyOfName({ host: store.nameOf(ordinal), node: store.nodeOf(ordinal) })

/** The side panel with the host in the URL. */
function HostOf({ store, id }: { readonly store: FleetStore; readonly id: string }) {
  const ordinal = useMemo(() => store.ordinals.find((one) => panelIdOf(store, one) === id), [store, id])
  // a host that is no longer in the fleet is requested by its name, because the service still has its data
  const { host, node = host } = ordinal === undefined ? readHostName(id) : { host: store.nameOf(ordinal), node: store.nodeOf(ordinal) }
  return <HostBeside host={host} node={node} />
}

const keyOf = (ordinal: number): number => ordinal
