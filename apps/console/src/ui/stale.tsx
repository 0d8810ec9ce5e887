import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatDuration, formatTime, useTimeZone } from '../lib/format.ts'
import { serviceNow } from '../lib/service/clock.ts'
import type { LiveState } from '../lib/service/live.ts'
import { currentAt } from '../lib/service/travel.ts'
import { useSilenceOf } from '../lib/service/use-freshness.ts'
import { Age } from './age.tsx'

export interface FreshProps {
  /** The time at which the data was read, by the clock of this browser. 0 if it is not known. */
  readonly atMs: number
  /** The interval of automatic reads in milliseconds. Undefined if there are none, or if a stream updates the data. */
  readonly everyMs?: number | undefined
  /** The stream that updates the data. */
  readonly live?: LiveState | undefined
  /** False if the data is not meant to follow changes, as in a record or a frozen list. */
  readonly isFollowed?: boolean | undefined
}

interface StaleProps extends FreshProps {
  /** Why the data could not be refreshed. Null if it could. */
  readonly error: unknown
  /** True if the content belongs to an earlier request, because the requested data has not arrived yet. */
  readonly isOther?: boolean
  readonly children: ReactNode
}

/**
 * Marks outdated data. Such data is paler and has the time of its last update. All live data is marked after three seconds without news
 * (lib/service/freshness.ts), because an operator must not take an outdated number for a current one.
 */
export function Stale({ error, isOther = false, children, ...fresh }: StaleProps) {
  const silence = useSilence(fresh)
  const isOld = Boolean(error) || silence !== undefined
  return (
    <>
      {isOld && fresh.atMs > 0 ? <AsOf atMs={fresh.atMs} silence={silence} /> : null}
      <div className={isOld || isOther ? 'stale' : undefined} data-no-news={silence === undefined ? undefined : ''}>
        {children}
      </div>
    </>
  )
}

/** For how many seconds the shown data has not been current. Undefined while it is current. Data of the past is always current. */
export function useSilence({ atMs, everyMs, live, isFollowed = true }: FreshProps): number | undefined {
  const silence = useSilenceOf({ readAtMs: atMs, everyMs })
  if (!isFollowed || currentAt() !== undefined) return undefined
  return silence ?? (live === 'silent' || live === 'lost' ? secondsSince(atMs) : undefined)
}

const secondsSince = (atMs: number): number => Math.floor(Math.max(0, Date.now() - atMs) / 1_000)

/** Shows the time and the age of the data and, if it is outdated, for how long there has been no update. */
export function AsOf({ atMs, silence }: { readonly atMs: number; readonly silence?: number | undefined }) {
  const zone = useTimeZone()
  // ages are computed by the service's clock
  const readMs = atMs + serviceNow() - Date.now()
  return (
    <Text size="xs" c="dimmed" data-as-of-read>
      {silence === undefined ? '' : `No updates for ${formatDuration(1_000 * silence)}: `}as of{' '}
      {formatTime(new Date(readMs).toISOString(), zone)}, <Age atMs={readMs} ago />
    </Text>
  )
}
