import { formatCount, formatDuration, readDuration, titleOfTime } from '../lib/format.ts'

/** What the service says of itself. */
export interface Health {
  readonly mode: 'NORMAL' | 'STORE_AWAY' | 'READ_ONLY' | 'CLOSING'
  readonly reason: string | null
  readonly replica: string
  readonly stateAge: string
  readonly violations: number
  readonly checkedAge: string | null
  /** Since when no round of the auditor found a violation, and how many looks that took. */
  readonly cleanSince: string | null
  readonly cleanLooks: number
}

export interface Shown {
  readonly label: string
  /** For how long that has been so; it grows each second. */
  readonly since?: string
  /** When that was looked at, where it is no failure. */
  readonly age?: string
  readonly colour: 'green' | 'red'
  readonly text: string
}

const labels = { STORE_AWAY: 'store unavailable', READ_ONLY: 'read only', CLOSING: 'closing' } as const

/**
 * What is most urgent comes first: no news, no answer, what it cannot do, what cannot be. `silence`: for how many seconds there has
 * been no news from the service; what it said before that is no longer known to be so.
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
  const checked = checkedAge === null ? 'not checked yet' : `checked ${formatDuration(readDuration(checkedAge))} ago`
  if (mode !== 'NORMAL') {
    const text = `${reason ?? 'It takes no writes.'} The state of replica ${replica} is ${formatDuration(readDuration(stateAge))} old.`
    return { label: labels[mode], colour: 'red', text }
  }
  const label = violations === 1 ? '1 violation' : `${violations} violations`
  if (violations === 0) {
    const since = cleanSince === null ? '' : ` since ${titleOfTime(cleanSince)}, in ${formatCount(cleanLooks)} checks`
    const text = `The auditor of replica ${replica} found no violations${since} (${checked}).`
    return { label, age: checked, colour: 'green', text }
  }
  const text = `The auditor of replica ${replica} found violations (${checked}). Run npx gantt replicas to list and repair them.`
  return { label, colour: 'red', text }
}
