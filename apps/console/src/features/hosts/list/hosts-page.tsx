import { Alert, Button, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { useShortcuts } from '../../../lib/browser/keys.ts'
import { preference } from '../../../lib/browser/preferences.ts'
import { formatTime, useTimeZone } from '../../../lib/format.ts'
import { toBrowserTime } from '../../../lib/service/clock.ts'
import type { LiveState } from '../../../lib/service/live.ts'
import { useAt } from '../../../lib/service/travel.ts'
import { Age } from '../../../ui/age.tsx'
import { LiveBadge, Page } from '../../../ui/page.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { type Fleet, useFleet } from '../fleet.ts'
import { route } from './hosts-address.ts'
import { HostsView } from './hosts-view.tsx'
import '../hosts.css'
import { Stale } from '../../../ui/stale.tsx'

/** Loaded on demand, because few visits need it. */
const EmptyFleet = lazy(async () => ({ default: (await import('./empty-fleet.tsx')).EmptyFleet }))

const ForgottenLink = lazy(async () => ({ default: (await import('./forgotten-hosts.tsx')).ForgottenLink }))
const ForgottenHosts = lazy(async () => ({ default: (await import('./forgotten-hosts.tsx')).ForgottenHosts }))

/** The page of all hosts with their usage and state. */
export function HostsPage() {
  const at = useAt()
  const { gone } = route.useSearch()
  if (gone === 'yes')
    return (
      <Page title="Forgotten hosts">
        <Suspense fallback={<FirstLoad />}>
          <ForgottenHosts />
        </Suspense>
      </Page>
    )
  return <HostsAt key={at ?? 'now'} isPast={at !== undefined} />
}

function HostsAt({ isPast }: { readonly isPast: boolean }) {
  const [isPaused, setPaused] = useState(() => preference('live') === 'off')
  const { fleet, live, error, isLoading, retry } = useFleet(isPaused)
  useShortcuts([{ keys: 'f', label: isPaused ? 'Follow changes' : 'Freeze: stop following changes', run: () => setPaused(!isPaused) }])

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
          <Suspense fallback={null}>
            <ForgottenLink present={fleet.store.ordinals.length} />
          </Suspense>
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
        <Stale error={null} atMs={toBrowserTime(fleet.receivedMs)} live={live} isFollowed={!isPaused}>
          <HostsView key={fleet.history} fleet={fleet} />
        </Stale>
      ) : (
        <Suspense fallback={<FirstLoad />}>
          <EmptyFleet />
        </Suspense>
      )}
    </Page>
  )
}

/** The notice that the data is possibly old. It shows the time of the data, and that the page tries to reconnect. */
function FeedNote({ live, fleet }: { readonly live: LiveState; readonly fleet: Fleet }) {
  const zone = useTimeZone()
  if (live !== 'lost') return null
  return (
    <Alert color="yellow" role="status" mb="sm" title="The feed is interrupted">
      The data shown is from {formatTime(new Date(fleet.receivedMs).toISOString(), zone)}. The console retries every few seconds.
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
