import { createHash } from 'node:crypto'
import { type AuditCode, type Finding, rankOf, type Severity, severityOf } from '@gantt/scheduler-core'

/** A finding, with the store time at which it was first found. */
export interface PresentFinding extends Finding {
  /** The id of a finding. It is the same on every replica as long as the finding exists. */
  readonly id: string
  readonly severity: Severity
  readonly since: number
}

interface LookedAt {
  readonly at: string
  readonly findings: readonly PresentFinding[]
  readonly pass: number
}

/** The findings that still exist, by the object that was examined. */
export class Found {
  readonly #bySubject = new Map<string, LookedAt>()
  readonly #counts = new Map<AuditCode, number>()

  /** Records the findings of one check, and returns the new ones. `at` and `name` identify the checked object. */
  note(at: string, name: string, findings: readonly Finding[], pass: number, now: number): readonly Finding[] {
    const key = `${at} ${name}`
    const known = this.#bySubject.get(key)
    if (findings.length === 0) {
      this.#forget(key)
      return []
    }
    const former = new Map(known?.findings.map((old) => [identityOf(old), old]))
    const before = (finding: Finding): PresentFinding | undefined => former.get(identityOf(finding))
    this.#count(known?.findings ?? [], -1)
    const present = findings.map((finding) => toPresent(finding, before(finding)?.since ?? now))
    this.#bySubject.set(key, { at, findings: present, pass })
    this.#count(present, 1)
    return findings.filter((finding) => before(finding) === undefined)
  }

  /** Removes findings of objects that this pass did not check, because they no longer exist. */
  forgetBefore(at: string, pass: number): void {
    for (const [key, seen] of this.#bySubject) if (seen.at === at && seen.pass !== pass) this.#forget(key)
  }

  clear(): void {
    this.#bySubject.clear()
    this.#counts.clear()
  }

  /** The count of findings by code, without codes that have no finding. */
  get counts(): ReadonlyMap<AuditCode, number> {
    return this.#counts
  }

  *all(): Generator<PresentFinding, void> {
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

export function toPresent(finding: Finding, since: number): PresentFinding {
  const { code, subject, name, host, claim, field } = finding
  const id = createHash('sha256')
    .update(JSON.stringify([code, subject, name, host, claim, field]))
    .digest('hex')
    .slice(0, 16)
  return { id, severity: severityOf(code), since, ...finding }
}

/** The order of findings: most severe first, then by code and id. */
export const compareFindings = (a: Pick<PresentFinding, 'code' | 'id'>, b: Pick<PresentFinding, 'code' | 'id'>): number =>
  rankOf(a.code) - rankOf(b.code) || (a.id < b.id ? -1 : Number(a.id > b.id))

/** The first findings in order. Only these are sorted, so that many findings cost little. */
export function firstOf(findings: Iterable<PresentFinding>, most: number): PresentFinding[] {
  const first: PresentFinding[] = []
  for (const finding of findings) {
    const last = first[most - 1]
    if (last !== undefined && compareFindings(finding, last) >= 0) continue
    let [low, high] = [0, first.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compareFindings(first[middle] as PresentFinding, finding) < 0) low = middle + 1
      else high = middle
    }
    first.splice(low, 0, finding)
    if (first.length > most) first.pop()
  }
  return first
}

/**
 * At most `most` findings: the first ones of each code, up to the code's share. Unused shares of rare codes are divided among the other
 * codes.
 */
export function fairlyFirst(
  findings: () => Iterable<PresentFinding>,
  counts: ReadonlyMap<AuditCode, number>,
  most: number,
): PresentFinding[] {
  const rarest = [...counts].sort(([, a], [, b]) => a - b)
  const chosen: PresentFinding[] = []
  for (const [i, [code]] of rarest.entries()) {
    const share = Math.floor((most - chosen.length) / (rarest.length - i))
    chosen.push(...firstOf(ofCode(findings(), code), share))
  }
  return chosen.sort(compareFindings)
}

function* ofCode(findings: Iterable<PresentFinding>, code: AuditCode): Generator<PresentFinding, void> {
  for (const finding of findings) if (finding.code === code) yield finding
}

/** How many findings have a severity. */
export function countOf(counts: ReadonlyMap<AuditCode, number>, severity: Severity): number {
  let sum = 0
  for (const [code, count] of counts) if (severityOf(code) === severity) sum += count
  return sum
}

/** Two findings about one object are the same finding if these members are equal. */
const identityOf = ({ code, field, claim, host }: Finding): string => JSON.stringify([code, field, claim, host])
