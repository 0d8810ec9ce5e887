import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { serviceNow } from '../lib/clock.ts'
import { formatDuration, formatTime, useTimeZone } from '../lib/format.ts'
import type { LiveState } from '../lib/live.ts'
import { currentAt } from '../lib/travel.ts'
import { useSilenceOf } from '../lib/use-freshness.ts'
import { Age } from './age.tsx'

export interface FreshProps {
  /** When it was read, by the clock of this browser; 0: that is not known. */
  readonly atMs: number
  /** Instances it is read again by itself, milliseconds; undefined: not by itself, or a stream brings what is new. */
  readonly everyMs?: number | undefined
  /** The stream that brings it up to date. */
  readonly live?: LiveState | undefined
  /** False: nobody expects it to follow changes, such as a record, or a list that was frozen. */
  readonly isFollowed?: boolean | undefined
}

interface StaleProps extends FreshProps {
  /** Why what is shown could not be read again; null: it could. */
  readonly error: unknown
  /** It is of something else, until what was asked for is there. */
  readonly isOther?: boolean
  readonly children: ReactNode
}

/**
 * What is shown as it was: paler, and it says since when. So is everything live once there was no news of it for three seconds
 * (lib/freshness.ts): a number that may be wrong must not look like one that is right.
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

/** For how many seconds there has been no news of something that is shown; undefined while it is current. The past stays as it is. */
export function useSilence({ atMs, everyMs, live, isFollowed = true }: FreshProps): number | undefined {
  const silence = useSilenceOf({ readAtMs: atMs, everyMs })
  if (!isFollowed || currentAt() !== undefined) return undefined
  return silence ?? (live === 'silent' || live === 'lost' ? secondsSince(atMs) : undefined)
}

const secondsSince = (atMs: number): number => Math.floor(Math.max(0, Date.now() - atMs) / 1_000)

/** When something was read, and how long ago; and for how long there was no news of it. */
export function AsOf({ atMs, silence }: { readonly atMs: number; readonly silence?: number | undefined }) {
  const zone = useTimeZone()
  // ages are shown by the service's clock
  const readMs = atMs + serviceNow() - Date.now()
  return (
    <Text size="xs" c="dimmed" data-as-of-read>
      {silence === undefined ? '' : `No updates for ${formatDuration(1_000 * silence)}: `}as of{' '}
      {formatTime(new Date(readMs).toISOString(), zone)}, <Age atMs={readMs} ago />
    </Text>
  )
}
