import { Button, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { type Change, changed } from '../../lib/browser/list-search.ts'
import { conflictsLine } from '../../lib/conflicts.ts'
import { formatCount, formatDuration, formatTime, formatTook, useTimeZone } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { useAt } from '../../lib/service/travel.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { type Figure, Figures } from '../../ui/chart/figures.tsx'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { Capacity } from './capacity.tsx'
import { Changes } from './changes.tsx'
import { ACTIVITY, FLAVORS, FLEET } from './documents.ts'
import { Failures } from './failures.tsx'
import { type Activity, changeOf, FAILED, type FleetNow, failedShare, perMinute, queryOf, replicasLine, shareChangeOf } from './figures.ts'
import { FitsNow } from './fits-now.tsx'
import { keptPins, type Pin, pinsOf, printPins } from './pins.ts'
import { Rate } from './rate.tsx'
import { DEFAULT_SPAN, durationOf, type OverviewSearch, type SpanName, spans } from './search.ts'
import { Trend } from './trend.tsx'
import './overview.css'

const route = getRouteApi('/overview')

const FLEET_EVERY_MS = 5_000
const ACTIVITY_EVERY_MS = 15_000
const FLAVORS_EVERY_MS = 60_000

/** The overview page: the state of hosts and replicas, the usage of the fleet by zone, failures with their causes, and the last changes. */
export function OverviewPage() {
  const { last = DEFAULT_SPAN, since, until, pin } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (change: Change<OverviewSearch>): void => void navigate({ search: (before) => changed(before, change), resetScroll: false })
  const { pins, keepPins } = usePins(pin)
  const at = useAt()
  // The data of a selected time range does not change, so it is read only once.
  const isRange = since !== undefined && until !== undefined
  const fleet = useOperation(FLEET, {}, { everyMs: FLEET_EVERY_MS })
  const inTime = isRange ? { since, until } : { window: durationOf[last] }
  const asked = useOperation(ACTIVITY, inTime, isRange ? {} : { everyMs: ACTIVITY_EVERY_MS })
  const call = { document: ACTIVITY, variables: inTime }
  const flavors = useOperation(FLAVORS, {}, { everyMs: FLAVORS_EVERY_MS })
  const activity = asked.data?.activity
  const zones = fleet.data?.fleet.totals ?? []
  return (
    <Page
      title="Overview"
      aside={
        <>
          <SegmentedControl
            size="xs"
            aria-label="Time range"
            data={[...spans]}
            value={isRange ? '' : last}
            onChange={(next) => show({ last: next === DEFAULT_SPAN ? undefined : (next as SpanName), since: undefined, until: undefined })}
          />
          <CopyAs call={{ document: FLEET }} />
        </>
      }
    >
      <Stack gap="sm">
        {isRange ? (
          <RangeLine since={since} until={until} last={last} onClear={() => show({ since: undefined, until: undefined })} />
        ) : null}
        {fleet.error ? <Problem error={fleet.error} onRetry={() => void fleet.refetch()} /> : null}
        {fleet.data?.fleet.hostCount === 0 ? <NoHost /> : null}
        <Stale error={fleet.error} atMs={fleet.dataUpdatedAt} everyMs={FLEET_EVERY_MS}>
          {fleet.data === undefined ? (
            fleet.error ? null : (
              <Skeleton height={64} role="status" aria-label="The fleet is being loaded" />
            )
          ) : (
            <Figures
              figures={[
                ...hostFigures(fleet.data),
                ...(at === undefined ? replicaFigures(fleet.data) : []),
                ...(activity === undefined ? [] : activityFigures(activity, isRange ? undefined : last)),
              ]}
            />
          )}
          {fleet.data?.liveness.warning && at === undefined ? (
            <Text size="sm" c="red" role="status">
              {fleet.data.liveness.warning}
            </Text>
          ) : null}
        </Stale>
        {asked.error ? <Problem error={asked.error} onRetry={() => void asked.refetch()} /> : null}
        <div className="overview">
          <div>
            <Stale error={fleet.error} atMs={fleet.dataUpdatedAt} everyMs={FLEET_EVERY_MS}>
              {zones.length === 0 ? null : <Capacity zones={zones} />}
              {flavors.error ? <Problem error={flavors.error} onRetry={() => void flavors.refetch()} /> : null}
              {flavors.data === undefined || zones.length === 0 ? null : (
                <FitsNow asked={flavors.data.activity.flavors} pins={pins} onPin={keepPins} zones={zones.map(({ key }) => key)} />
              )}
            </Stale>
          </div>
          <div>
            <Stale
              error={asked.error}
              atMs={asked.dataUpdatedAt}
              isFollowed={!isRange}
              everyMs={isRange ? undefined : ACTIVITY_EVERY_MS}
              isOther={asked.isPlaceholderData}
            >
              {activity === undefined ? (
                asked.error ? null : (
                  <Skeleton height={200} role="status" aria-label="Decisions are being counted" />
                )
              ) : (
                <>
                  <Failures activity={activity} call={call} />
                  <Rate activity={activity} call={call} onTake={(from, to) => show({ since: from, until: to })} />
                </>
              )}
            </Stale>
            <Changes />
          </div>
        </div>
      </Stack>
    </Page>
  )
}

/**
 * The pinned flavors in the URL. If the URL has none, those of this browser are written to it, so that everyone who opens the URL sees the
 * same flavors.
 */
function usePins(pin: string | undefined) {
  const navigate = route.useNavigate()
  const kept = keptPins.use()
  const say = useCallback(
    (pins: readonly Pin[]): void =>
      void navigate({ search: (before) => changed(before, { pin: printPins(pins) }), replace: true, resetScroll: false }),
    [navigate],
  )
  useEffect(() => {
    if (pin === undefined && kept.length > 0) say(kept)
  }, [pin, kept, say])
  const keepPins = (pins: readonly Pin[]): void => {
    keptPins.set(pins)
    say(pins)
  }
  return { pins: pin === undefined ? kept : pinsOf(pin), keepPins }
}

interface RangeLineProps {
  readonly since: string
  readonly until: string
  readonly last: SpanName
  onClear(): void
}

/** The selected time range, and a button that returns to the last time span. */
function RangeLine({ since, until, last, onClear }: RangeLineProps) {
  const zone = useTimeZone()
  return (
    <Group gap="xs">
      <Text size="sm" role="status" data-range>
        Decisions from {formatTime(since, zone)} to {formatTime(until, zone)}
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={onClear}>
        All of the last {last}
      </Button>
    </Group>
  )
}

function NoHost() {
  return (
    <Empty title="No host has reported yet">
      The page <AnchorLink to="/hosts">Hosts</AnchorLink> has the command that reports a first one.
    </Empty>
  )
}

function hostFigures({ up: { totalCount: up }, suspect: { totalCount: suspect }, down: { totalCount: down } }: FleetNow): Figure[] {
  return [
    { label: 'Hosts up', value: <HostCount state="UP" count={up} /> },
    { label: 'Suspect', value: <HostCount state="SUSPECT" count={suspect} />, isBad: suspect > 0 },
    { label: 'Down', value: <HostCount state="DOWN" count={down} />, isBad: down > 0 },
  ]
}

/** The figures of the replicas. They are known only for the present, because the log does not contain them. */
const replicaFigures = ({ replicas }: FleetNow): Figure[] => [
  { label: 'Replicas live', ...replicasLine(replicas) },
  { label: 'Conflicts', ...conflictsLine(replicas) },
]

function HostCount({ state, count }: { readonly state: string; readonly count: number }) {
  return (
    <AnchorLink to="/hosts" search={{ q: `state:${state}` }} aria-label={`${formatCount(count)} hosts are ${state}: open them`}>
      {formatCount(count)}
    </AnchorLink>
  )
}

/** The figures of a period. `last` is the name of the time span. It is undefined if a range is selected. */
function activityFigures(activity: Activity, last: SpanName | undefined): Figure[] {
  const { decisions, failed, took, tookCut, steps, before, since, until } = activity
  const p99 = took?.p99Ms
  return [
    {
      label: `Decisions, ${last ?? formatDuration(Date.parse(until) - Date.parse(since))}`,
      value: (
        <>
          <AnchorLink to="/decisions" search={{ q: queryOf(activity) }} aria-label={`${formatCount(decisions)} decisions: open them`}>
            {formatCount(decisions)}
          </AnchorLink>
          <Trend
            change={changeOf(decisions, before.decisions)}
            before={formatCount(before.decisions)}
            steps={steps.map((step) => step.decisions)}
          />
        </>
      ),
      title: `${perMinute(activity)} per minute`,
    },
    { label: 'Decisions/min', value: perMinute(activity) },
    {
      label: 'Failed',
      value: (
        <>
          <AnchorLink
            to="/decisions"
            search={{ q: queryOf(activity, FAILED) }}
            aria-label={`${formatCount(failed)} decisions failed: open them`}
          >
            {formatCount(failed)}, {failedShare(activity)}
          </AnchorLink>
          <Trend change={shareChangeOf(activity, before)} before={failedShare(before)} steps={steps.map((step) => step.failed)} />
        </>
      ),
    },
    {
      label: 'p99',
      value:
        took === null || p99 === undefined ? (
          '-'
        ) : (
          <>
            {formatTook(p99)}
            <Trend
              change={before.took === null ? undefined : changeOf(p99, before.took.p99Ms)}
              before={before.took === null ? 'not measured' : formatTook(before.took.p99Ms)}
              steps={steps.map((step) => step.took?.p99Ms)}
            />
          </>
        ),
      title:
        took === null
          ? 'Decision times were not measured'
          : `99 % of decisions took at most this long, and 50 % at most ${formatTook(took.p50Ms)}${tookCut ? ' (measured over the newest 100,000 decisions)' : ''}`,
    },
  ]
}
