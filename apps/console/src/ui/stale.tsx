import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { serviceNow } from '../lib/clock.ts'
import { formatTime, useTimeZone } from '../lib/format.ts'
import { Age } from './age.tsx'

interface StaleProps {
  /** Why what is shown could not be read again; null: it could. */
  readonly error: unknown
  /** When it was read, by the clock of this browser; 0: that is not known. */
  readonly atMs: number
  /** It is of something else, until what was asked for is there. */
  readonly isOther?: boolean
  readonly children: ReactNode
}

/** What is shown as it was: paler, and where it could not be read again it says since when. */
export function Stale({ error, atMs, isOther = false, children }: StaleProps) {
  return (
    <>
      {error && atMs > 0 ? <AsOf atMs={atMs} /> : null}
      <div className={error || isOther ? 'stale' : undefined}>{children}</div>
    </>
  )
}

/** When something was read, and how long ago. */
export function AsOf({ atMs }: Pick<StaleProps, 'atMs'>) {
  const zone = useTimeZone()
  // ages are told by the service's clock
  const readMs = atMs + serviceNow() - Date.now()
  return (
    <Text size="xs" c="dimmed" role="status" data-as-of-read>
      as of {formatTime(new Date(readMs).toISOString(), zone)}, <Age atMs={readMs} ago />
    </Text>
  )
}
