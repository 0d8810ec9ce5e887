import { formatDuration, formatTime, titleOfTime, useTimeZone } from '../lib/format.ts'
import { useShownNow } from '../lib/service/clock.ts'

/** Shows how long ago a time was, and updates this text live. The title has the exact time. */
export function Age({ atMs, ago = false }: { readonly atMs: number; readonly ago?: boolean }) {
  const now = useShownNow()
  const zone = useTimeZone()
  if (atMs === 0) return <>never</>
  const iso = new Date(atMs).toISOString()
  const ageMs = Math.max(0, now - atMs)
  return (
    <time dateTime={iso} title={`${formatTime(iso, zone)} (${titleOfTime(iso)})`}>
      {ageMs < 1_000 ? 'now' : `${formatDuration(Math.floor(ageMs / 1_000) * 1_000)}${ago ? ' ago' : ''}`}
    </time>
  )
}

/** Shows how much time is left until a time, by the service's clock. */
export function TimeLeft({ untilMs }: { readonly untilMs: number }) {
  const leftMs = untilMs - useShownNow()
  const iso = new Date(untilMs).toISOString()
  return (
    <time dateTime={iso} title={titleOfTime(iso)}>
      {leftMs <= 0 ? 'now' : `in ${formatDuration(Math.ceil(leftMs / 1_000) * 1_000)}`}
    </time>
  )
}
