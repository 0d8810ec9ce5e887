import { SegmentedControl, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { type Figure, Figures } from '../../ui/figures.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { Capacity } from './capacity.tsx'
import { Changes } from './changes.tsx'
import { ACTIVITY, FLEET } from './documents.ts'
import { Failures, failedQuery } from './failures.tsx'
import { type Activity, type FleetNow, failedShare, perMinute, replicasLine } from './figures.ts'
import { FitsNow } from './fits-now.tsx'
import { Rate } from './rate.tsx'
import { DEFAULT_SPAN, durationOf, type SpanName, spans } from './search.ts'
import './overview.css'

const route = getRouteApi('/overview')

const FLEET_EVERY_MS = 5_000
const ACTIVITY_EVERY_MS = 15_000

/** Whether placement is healthy, how full the fleet is and where, what fails and why, what was changed. */
export function OverviewPage() {
  const { last = DEFAULT_SPAN } = route.useSearch()
  const navigate = route.useNavigate()
  const fleet = useOperation(FLEET, {}, { everyMs: FLEET_EVERY_MS })
  const asked = useOperation(ACTIVITY, { window: durationOf[last] }, { everyMs: ACTIVITY_EVERY_MS })
  const activity = asked.data?.activity
  const zones = fleet.data?.fleet.totals ?? []
  return (
    <Page
      title="Overview"
      aside={
        <>
          <SegmentedControl
            size="xs"
            aria-label="How far back"
            data={[...spans]}
            value={last}
            onChange={(next) => void navigate({ search: next === DEFAULT_SPAN ? {} : { last: next as SpanName } })}
          />
          <CopyAs call={{ document: FLEET }} />
        </>
      }
    >
      <Stack gap="sm">
        {fleet.error ? <Problem error={fleet.error} onRetry={() => void fleet.refetch()} /> : null}
        {fleet.data?.fleet.hostCount === 0 ? <NoHost /> : null}
        <Stale error={fleet.error} atMs={fleet.dataUpdatedAt}>
          {fleet.data === undefined ? (
            fleet.error ? null : (
              <Skeleton height={64} role="status" aria-label="The fleet is being loaded" />
            )
          ) : (
            <Figures figures={[...fleetFigures(fleet.data), ...(activity === undefined ? [] : activityFigures(activity, last))]} />
          )}
          {fleet.data?.liveness.warning ? (
            <Text size="sm" c="red" role="status">
              {fleet.data.liveness.warning}
            </Text>
          ) : null}
        </Stale>
        {asked.error ? <Problem error={asked.error} onRetry={() => void asked.refetch()} /> : null}
        <div className="overview">
          <div>
            <Stale error={fleet.error} atMs={fleet.dataUpdatedAt}>
              {zones.length === 0 ? null : <Capacity zones={zones} />}
              {activity === undefined || zones.length === 0 ? null : (
                <FitsNow flavors={activity.flavors} zones={zones.map(({ key }) => key)} />
              )}
            </Stale>
          </div>
          <div>
            <Stale error={asked.error} atMs={asked.dataUpdatedAt} isOther={asked.isPlaceholderData}>
              {activity === undefined ? (
                asked.error ? null : (
                  <Skeleton height={200} role="status" aria-label="Decisions are being counted" />
                )
              ) : (
                <>
                  <Failures activity={activity} last={last} />
                  <Rate activity={activity} />
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

function NoHost() {
  return (
    <Empty title="No host has reported yet">
      The page <AnchorLink to="/hosts">Hosts</AnchorLink> has the command that reports a first one.
    </Empty>
  )
}

function fleetFigures({
  up: { totalCount: up },
  suspect: { totalCount: suspect },
  down: { totalCount: down },
  replicas,
}: FleetNow): Figure[] {
  const { value, isBad } = replicasLine(replicas)
  return [
    { label: 'Hosts up', value: <HostCount state="UP" count={up} /> },
    { label: 'Suspect', value: <HostCount state="SUSPECT" count={suspect} />, isBad: suspect > 0 },
    { label: 'Down', value: <HostCount state="DOWN" count={down} />, isBad: down > 0 },
    { label: 'Replicas live', value, isBad },
  ]
}

function HostCount({ state, count }: { readonly state: string; readonly count: number }) {
  return (
    <AnchorLink to="/hosts" search={{ q: `state:${state}` }} aria-label={`${formatCount(count)} hosts are ${state}: open them`}>
      {formatCount(count)}
    </AnchorLink>
  )
}

function activityFigures(activity: Activity, last: SpanName): Figure[] {
  const { decisions, failed } = activity
  return [
    {
      label: `Decisions, ${last}`,
      value: (
        <AnchorLink to="/decisions" search={{ q: `last:${last}` }} aria-label={`${formatCount(decisions)} decisions: open them`}>
          {formatCount(decisions)}
        </AnchorLink>
      ),
      title: `${perMinute(activity)} a minute`,
    },
    { label: 'A minute', value: perMinute(activity) },
    {
      label: 'Failed',
      value: (
        <AnchorLink to="/decisions" search={{ q: failedQuery(last) }} aria-label={`${formatCount(failed)} decisions failed: open them`}>
          {formatCount(failed)}, {failedShare(activity)}
        </AnchorLink>
      ),
    },
  ]
}
