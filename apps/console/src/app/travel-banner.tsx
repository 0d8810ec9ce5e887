import { Button, Group, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useEffect } from 'react'
import { formatCount, formatDuration, formatTime, titleOfTime, useTimeZone } from '../lib/format.ts'
import { useOperation } from '../lib/service/api.ts'
import { serviceNow, stopClock } from '../lib/service/clock.ts'
import { graphql } from '../lib/service/graphql.ts'
import { nameOfMoment } from '../lib/service/travel.ts'
import { ButtonLink } from '../ui/button-link.tsx'

const THEN = graphql(`
  query TravelThen($at: Moment) {
    fleet(at: $at) { asOf at }
  }
`)

const REACH = graphql(`
  query TravelReach {
    fleet { asOf }
    fleetLog { firstRevision firstAt }
  }
`)

const REACH_EVERY_MS = 10_000
const MINUTE_MS = 60_000

interface TravelBannerProps {
  readonly at: string
  /** A sentence that names the parts of the page that still show the present. Undefined if there are none. */
  readonly present: string | undefined
  onPick(): void
}

/** The banner on every page that shows the past. It has the shown moment, buttons to other moments, and a link to the present. */
export function TravelBanner({ at, present, onPick }: TravelBannerProps) {
  const zone = useTimeZone()
  const { data, error, isPlaceholderData } = useOperation(THEN, {})
  const then = isPlaceholderData || error ? undefined : data?.fleet
  const { data: reach } = useOperation(REACH, {}, { everyMs: REACH_EVERY_MS })
  // `at` is a time or a revision. For a revision, the time of its log entry is shown.
  const shownMs = /^\d+$/.test(at) ? (then === undefined ? undefined : Date.parse(then.at)) : Date.parse(at)
  const isShown = shownMs !== undefined && !Number.isNaN(shownMs)
  useEffect(() => {
    stopClock(isShown && present === undefined ? shownMs : undefined)
    return () => stopClock(undefined)
  }, [isShown, shownMs, present])

  return (
    <section className="travel" aria-label="Time travel" data-at={at} data-as-of={then?.asOf}>
      <Group gap="xs" justify="space-between">
        <Group gap="xs" role="status" style={{ flex: '1 1 320px' }} wrap="nowrap" align="flex-start">
          <IconHistory size={18} aria-hidden style={{ flex: 'none' }} />
          <div>
            <Text size="sm" fw={600} span>
              The past: {then === undefined ? nameOfMoment(at) : `revision ${formatCount(Number(then.asOf))}`}
              {isShown ? (
                <span title={titleOfTime(new Date(shownMs).toISOString())}>
                  , {formatTime(new Date(shownMs).toISOString(), zone)}
                  {zone === 'utc' ? ' UTC' : ''}, {formatDuration(Math.max(0, serviceNow() - shownMs))} ago
                </span>
              ) : null}
              .
            </Text>{' '}
            <Text size="sm" span>
              {error ? `This time cannot be shown: ${error.message}. ` : ''}
              {present === undefined ? '' : `${present} `}Nothing can be changed here.
            </Text>
          </div>
        </Group>
        <Steps at={at} revision={then?.asOf} shownMs={isShown ? shownMs : undefined} reach={reach} onPick={onPick} />
      </Group>
    </section>
  )
}

interface StepsProps {
  readonly at: string
  readonly revision: string | undefined
  readonly shownMs: number | undefined
  readonly reach:
    | { readonly fleet: { readonly asOf: string }; readonly fleetLog: { readonly firstRevision: string; readonly firstAt: string | null } }
    | undefined
  onPick(): void
}

/**
 * Buttons that go one minute or one revision back or forward. A button is disabled if the log does not contain the moment to which the
 * button goes.
 */
function Steps({ at, revision, shownMs, reach, onPick }: StepsProps) {
  const first = Number(reach?.fleetLog.firstRevision ?? 0)
  const last = Number(reach?.fleet.asOf ?? 0)
  const here = revision === undefined ? undefined : Number(revision)
  const firstMs = Date.parse(reach?.fleetLog.firstAt ?? '')
  const byTime = (stepMs: number): string | undefined => {
    if (shownMs === undefined) return undefined
    const next = shownMs + stepMs
    return next < firstMs || next > serviceNow() ? undefined : new Date(next).toISOString()
  }
  const byRevision = (step: number): string | undefined => {
    const next = here === undefined ? undefined : here + step
    return next === undefined || next < first || next > last ? undefined : String(next)
  }
  return (
    <Group gap={4}>
      <Step label="1 min earlier" to={byTime(-MINUTE_MS)} />
      <Step label="1 revision earlier" to={byRevision(-1)} />
      <Step label="1 revision later" to={byRevision(1)} />
      <Step label="1 min later" to={byTime(MINUTE_MS)} />
      {here === undefined && reach !== undefined && at !== String(first) ? (
        <Step label={`First kept revision, ${formatCount(first)}`} to={String(first)} />
      ) : null}
      <Button size="compact-xs" variant="outline" onClick={onPick} title="t">
        Another time
      </Button>
      <ButtonLink size="compact-xs" to="." search={(before) => ({ ...before, at: undefined })}>
        Back to now
      </ButtonLink>
    </Group>
  )
}

function Step({ label, to }: { readonly label: string; readonly to: string | undefined }) {
  if (to === undefined)
    return (
      <Button size="compact-xs" variant="outline" disabled>
        {label}
      </Button>
    )
  return (
    <ButtonLink size="compact-xs" variant="outline" to="." search={(before) => ({ ...before, at: to })} resetScroll={false}>
      {label}
    </ButtonLink>
  )
}
