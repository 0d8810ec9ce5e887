import { createHash } from 'node:crypto'
import { type AuditCode, type Finding, rankOf, type Severity, severityOf } from '@gantt/scheduler-core'

/** A finding, and the store time at which it was there first. */
export interface StandingFinding extends Finding {
  /** The same for the same finding on every replica, as long as it is there. */
  readonly id: string
  readonly severity: Severity
  readonly since: number
}

interface LookedAt {
  readonly at: string
  readonly findings: readonly StandingFinding[]
  readonly pass: number
}

/** What has been found and is there still, by what was looked at. */
export class Found {
  readonly #bySubject = new Map<string, LookedAt>()
  readonly #counts = new Map<AuditCode, number>()

  /** Takes over what a look at a thing has found; answers what was not there before. `at`: where it was looked at, in which pass. */
  note(at: string, name: string, findings: readonly Finding[], pass: number, now: number): readonly Finding[] {
    const key = `${at} ${name}`
    const known = this.#bySubject.get(key)
    if (findings.length === 0) {
      this.#forget(key)
      return []
    }
    const before = (finding: Finding): StandingFinding | undefined => known?.findings.find((old) => isSame(old, finding))
    this.#count(known?.findings ?? [], -1)
    const standing = findings.map((finding) => toStanding(finding, before(finding)?.since ?? now))
    this.#bySubject.set(key, { at, findings: standing, pass })
    this.#count(standing, 1)
    return findings.filter((finding) => before(finding) === undefined)
  }

  /** Forgets what no look of this pass was at: it is not there any more. */
  forgetBefore(at: string, pass: number): void {
    for (const [key, seen] of this.#bySubject) if (seen.at === at && seen.pass !== pass) this.#forget(key)
  }

  clear(): void {
    this.#bySubject.clear()
    this.#counts.clear()
  }

  /** How many there are of each code; none of those that are not there. */
  get counts(): ReadonlyMap<AuditCode, number> {
    return this.#counts
  }

  *all(): Generator<StandingFinding, void> {
    for (const { findings } of this.#bySubject.values()) yield* findings
  }

  #forget(key: string): void {
    const known = this.#bySubject.get(key)
    if (known === undefined) return
    this.#bySubject.delete(key)
    this.#count(known.findings, -1)
  }

  #count(findings: readonly Finding[], by: 1 | -1): void {
    for (const { code } of findings) {
      const count = (this.#counts.get(code) ?? 0) + by
      if (count === 0) this.#counts.delete(code)
      else this.#counts.set(code, count)
    }
  }
}

export function toStanding(finding: Finding, since: number): StandingFinding {
  const { code, subject, name, host, claim, field } = finding
  const id = createHash('sha256')
    .update(JSON.stringify([code, subject, name, host, claim, field]))
    .digest('hex')
    .slice(0, 16)
  return { ...finding, id, severity: severityOf(code), since }
}

/** Of findings: those of most weight first, and those of one code by their ids. */
export const compareFindings = (a: Pick<StandingFinding, 'code' | 'id'>, b: Pick<StandingFinding, 'code' | 'id'>): number =>
  rankOf(a.code) - rankOf(b.code) || (a.id < b.id ? -1 : Number(a.id > b.id))

/** The first so many in their order; few are sorted, however many there are. */
export function firstOf(findings: Iterable<StandingFinding>, most: number): StandingFinding[] {
  const first: StandingFinding[] = []
  for (const finding of findings) {
    const last = first[most - 1]
    if (last !== undefined && compareFindings(finding, last) >= 0) continue
    let [low, high] = [0, first.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareFindings(first[middle] as StandingFinding, finding) < 0) low = middle + 1
      else high = middle
    }
    first.splice(low, 0, finding)
    if (first.length > most) first.pop()
  }
  return first
}

/** So many in all: of each code the first ones, as many as its share. What a rare code needs less is shared by the others. */
export function fairlyFirst(
  findings: () => Iterable<StandingFinding>,
  counts: ReadonlyMap<AuditCode, number>,
  most: number,
): StandingFinding[] {
  const rarest = [...counts].sort(([, a], [, b]) => a - b)
  const chosen: StandingFinding[] = []
  for (const [i, [code]] of rarest.entries()) {
    const share = Math.floor((most - chosen.length) / (rarest.length - i))
    chosen.push(...firstOf(ofCode(findings(), code), share))
  }
  return chosen.sort(compareFindings)
}

function* ofCode(findings: Iterable<StandingFinding>, code: AuditCode): Generator<StandingFinding, void> {
  for (const finding of findings) if (finding.code === code) yield finding
}

/** How many there are of a severity. */
export function countOf(counts: ReadonlyMap<AuditCode, number>, severity: Severity): number {
  let sum = 0
  for (const [code, count] of counts) if (severityOf(code) === severity) sum += count
  return sum
}

const isSame = (a: Finding, b: Finding): boolean => a.code === b.code && a.field === b.field && a.claim === b.claim && a.host === b.host
