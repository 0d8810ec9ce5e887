import { formatCount, formatDuration, readDuration, titleOfTime } from '../lib/format.ts'

/** The health of the service, as the API returns it. */
export interface Health {
  readonly mode: 'NORMAL' | 'STORE_AWAY' | 'READ_ONLY' | 'CLOSING'
  readonly reason: string | null
  readonly replica: string
  readonly stateAge: string
  readonly violations: number
  readonly checkedAge: string | null
  /** Since `cleanSince`, the auditor has made `cleanLooks` checks and found no violation. */
  readonly cleanSince: string | null
  readonly cleanLooks: number
}

export interface Shown {
  readonly label: string
  /** For how long the service has not answered, such as "for 4 s". The text changes every second. */
  readonly since?: string
  /** How long ago the auditor last checked. Only set if it found no violation. */
  readonly age?: string
  /** Gray if the state is not known to be correct: the auditor has not checked it yet, or its last check is too old. */
  readonly colour: 'green' | 'red' | 'gray'
  readonly text: string
}

/** After this many milliseconds without a complete check, the status does not say that there are no violations. */
const MAX_CHECKED_AGE_MS = 86_400_000

const labels = { STORE_AWAY: 'store unavailable', READ_ONLY: 'read only', CLOSING: 'closing' } as const

/**
 * The status line. It shows the first of these facts that is true: no message has arrived for some seconds, the service did not report its
 * health, the mode is not NORMAL, there are violations, or else there was no complete check in the last day. `silence` is the time in
 * seconds since messages stopped. It is undefined while messages arrive.
 */
export function statusOf(health: Health | undefined, silence?: number): Shown {
  if (silence !== undefined) {
    const since = `for ${formatDuration(1_000 * silence)}`
    const text = `No updates from the service ${since}. The page may be out of date; the console retries every second.`
    return { label: 'No updates', since, colour: 'red', text }
  }
  if (health === undefined)
    return { label: 'no answer', colour: 'red', text: 'The service did not report its status; the console retries every few seconds.' }
  const { mode, reason, replica, stateAge, violations, checkedAge, cleanSince, cleanLooks } = health
  const ageMs = checkedAge === null ? null : readDuration(checkedAge)
  const checked = ageMs === null ? 'not checked yet' : `checked ${formatDuration(ageMs)} ago`
  if (mode !== 'NORMAL') {
    const text = `${reason ?? 'The replica accepts no writes.'} The state of replica ${replica} is ${formatDuration(readDuration(stateAge))} old.`
    return { label: labels[mode], colour: 'red', text }
  }
  const label = violations === 1 ? '1 violation' : `${violations} violations`
  if (violations === 0 && ageMs === null) {
    const text = `The auditor of replica ${replica} has not completed its first full check. It found no violations so far.`
    return { label: checked, colour: 'gray', text }
  }
  if (violations === 0 && ageMs !== null && ageMs > MAX_CHECKED_AGE_MS) {
    const text = `The auditor of replica ${replica} found no violations, but its last full check is more than a day old.`
    return { label: 'check too old', age: checked, colour: 'gray', text }
  }
  if (violations === 0) {
    const since = cleanSince === null ? '' : ` since ${titleOfTime(cleanSince)}, in ${formatCount(cleanLooks)} checks`
    const text = `The auditor of replica ${replica} found no violations${since} (${checked}).`
    return { label, age: checked, colour: 'green', text }
  }
  const text = `The auditor of replica ${replica} found violations (${checked}). Run npx gantt replicas to list and repair them.`
  return { label, colour: 'red', text }
}
