import { hostFields } from '@gantt/scheduler-core/query'
import { Button, Group, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { IconBookmarks } from '@tabler/icons-react'
import { lazy, Suspense, useDeferredValue, useMemo } from 'react'
import { CopyRoom } from '../../../ui/copy-as.tsx'
import { FilterAside } from '../../../ui/filter/filter-aside.tsx'
import { FilterBar } from '../../../ui/filter/filter-bar.tsx'
import type { Fleet } from '../fleet.ts'
import { readHost } from '../host-row.ts'
import { useVerdicts } from '../map/use-verdicts.ts'
import { type HostView, hostViews } from '../search.ts'
import { useHand, useHostList } from './host-list.ts'
import { HostLists } from './host-lists.tsx'
import { route, useGo } from './hosts-address.ts'
import { facetNames, NONE } from './select-hosts.ts'

/** Loaded later, to keep the page small. */
const CopyHosts = lazy(async () => ({ default: (await import('./copy-hosts.tsx')).CopyHosts }))
const ViewsButton = lazy(async () => ({ default: (await import('../../../ui/filter/views-button.tsx')).ViewsButton }))

/** Loaded only if the page is opened from a decision. */
const VerdictLegend = lazy(async () => ({ default: (await import('../map/verdict-legend.tsx')).VerdictLegend }))

const viewNames: Readonly<Record<HostView, string>> = { split: 'Split', table: 'Table', map: 'Map' }

/**
 * The filter input and the matching hosts. The input reacts to every key at once. The lists are rendered with lower priority, so they
 * follow a little later.
 */
export function HostsView({ fleet }: { readonly fleet: Fleet }) {
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
            facetNames
              .filter((facet) => facet === field)
              .flatMap((facet) => list.selection.facets[facet].filter(({ value }) => value !== NONE))
          }
        />
        <FilterAside>
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={search.view ?? 'split'}
            onChange={(next) => go({ view: hostViews.find((one) => one === next) })}
            data={hostViews.map((one) => ({ value: one, label: viewNames[one] }))}
          />
          <Suspense
            fallback={
              <>
                <Button size="compact-sm" variant="subtle" leftSection={<IconBookmarks size={14} aria-hidden />} disabled>
                  Views
                </Button>
                <CopyRoom />
              </>
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
        </FilterAside>
      </Group>
      {asked.decision === undefined ? null : (
        <Suspense fallback={<Skeleton height={48} />}>
          <VerdictLegend
            feed={feed}
            decision={asked.decision}
            instance={asked.instance}
            chosen={asked.verdict}
            // a count in the legend includes all hosts with the verdict, so a click on the count also removes the filter
            onChoose={(verdict) => go({ verdict, q: undefined })}
            onClose={() => go({ decision: undefined, instance: undefined, verdict: undefined, colour: undefined })}
          />
        </Suspense>
      )}
      <HostLists fleet={fleet} list={list} verdicts={verdicts} search={asked} handlers={hand.handlers} isBehind={asked !== search} />
    </Stack>
  )
}
