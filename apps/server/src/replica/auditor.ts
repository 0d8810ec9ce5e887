import { audit, type Finding, type Fleet, isOfState, type Looked } from '@gantt/scheduler-core'
import type { ReplicaRow, TakenDigests } from '../stores/replicas.ts'
import type { Timers } from '../timers.ts'
import type { Replica } from './replica.ts'
import { createStateDigests } from './state-digests.ts'

/** A slice of the auditor's work, and how often one comes: it takes at most a twentieth of the process's time. */
const SLICE_MS = 2
const EVERY_MS = 50
/** A round of a small fleet is over at once; the next begins after this. */
const REST_MS = 1_000
/** Findings that are told; all are counted. */
const TOLD = 100

/** A finding, and the store time at which it was there first. */
export interface StandingFinding extends Finding {
  readonly since: number
}

export interface AuditorView {
  /** How many findings stand. */
  readonly violations: number
  /** The first hundred. */
  readonly findings: readonly StandingFinding[]
  /** Store time at which everything had been looked at last; null before the first round is over. */
  readonly checkedAt: number | null
  /** How long ago that was, milliseconds. */
  readonly ageMs: number | null
  /** Rounds that are over. */
  readonly rounds: number
  /** How long that round took, and how many things it looked at. */
  readonly roundMs: number | null
  readonly looked: number
  /** Digests compared with other replicas’, and the store time at which one was equal last. */
  readonly compared: number
  readonly agreedAt: number | null
}

/** Looks through a replica's state all the time, in slices between other work; it never changes anything. */
export interface Auditor {
  view(): AuditorView
  /** Whether this replica's own state is sound as far as it was looked at; what others have says nothing about that. */
  readonly isSound: boolean
  /** One slice. The timer calls it; tests do too. */
  step(): void
  digests(): TakenDigests
  compare(others: readonly ReplicaRow[]): void
  close(): void
}

export interface AuditorOptions {
  readonly replica: Pick<Replica, 'fleet' | 'storeTime' | 'onApplied'>
  readonly timers: Timers
  /** Tells operators of new findings. */
  warn(message: string): void
}

interface Round {
  readonly fleet: Fleet
  readonly steps: Generator<Looked, void>
  readonly startedAt: number
  looked: number
  fresh: Finding[]
}

export function createAuditor({ replica, timers, warn }: AuditorOptions): Auditor {
  const digests = createStateDigests(replica)
  /** By what was looked at, and the round in which it was: what is not there in the next round is forgotten. */
  const standing = new Map<string, { findings: readonly StandingFinding[]; round: Round }>()
  let round: Round | undefined
  let last: Pick<AuditorView, 'checkedAt' | 'rounds' | 'roundMs' | 'looked'> & { readonly endedAt: number } = {
    checkedAt: null,
    rounds: 0,
    roundMs: null,
    looked: 0,
    endedAt: Number.NEGATIVE_INFINITY,
  }
  let told = 0

  const begin = (): Round => ({ fleet: replica.fleet, steps: audit(replica.fleet), startedAt: timers.now(), looked: 0, fresh: [] })
  const note = (current: Round, { subject, name, findings }: Looked): void => {
    current.looked++
    const key = `${subject} ${name}`
    const known = standing.get(key)
    if (findings.length === 0) {
      if (known !== undefined) standing.delete(key)
      return
    }
    const since = (finding: Finding): number => known?.findings.find((old) => isSame(old, finding))?.since ?? replica.storeTime
    current.fresh.push(...findings.filter((finding) => !known?.findings.some((old) => isSame(old, finding))))
    standing.set(key, { findings: findings.map((finding) => ({ ...finding, since: since(finding) })), round: current })
  }
  const end = (current: Round): void => {
    for (const [key, { round: seen }] of standing) if (seen !== current) standing.delete(key)
    const now = timers.now()
    last = { checkedAt: replica.storeTime, rounds: last.rounds + 1, roundMs: now - current.startedAt, looked: current.looked, endedAt: now }
    const unsound = current.fresh.filter(({ code }) => isOfState(code))
    const others = current.fresh.filter(({ code }) => !isOfState(code))
    if (unsound[0] !== undefined)
      warn(
        `the auditor found ${unsound.length} things that cannot be; this replica writes no checkpoint until they are gone. The first: ${textOf(unsound[0])}`,
      )
    if (others[0] !== undefined)
      warn(`the auditor found ${others.length} things that no rule would let in today. The first: ${textOf(others[0])}`)
  }
  const step = (): void => {
    const from = timers.now()
    const until = from + SLICE_MS
    // The state at which the log stands, while it does. Half of the slice is its own: a round of a large fleet takes minutes, and
    // the log seldom stands still for as long.
    let more = digests.step()
    while (more && timers.now() < from + SLICE_MS / 2) more = digests.step()
    // a fleet that took the place of another is looked at from its beginning
    if (round !== undefined && round.fleet !== replica.fleet) {
      round = undefined
      standing.clear()
    }
    if (round === undefined && timers.now() - last.endedAt >= REST_MS) round = begin()
    while (round !== undefined && timers.now() < until) {
      const next = round.steps.next()
      if (next.done !== true) {
        note(round, next.value)
        continue
      }
      end(round)
      round = undefined
    }
    while (more && timers.now() < until) more = digests.step()
  }
  const stop = timers.every(EVERY_MS, step)

  return {
    view() {
      const findings = [...[...standing.values()].flatMap((one) => one.findings), ...digests.divergences]
      const { endedAt, ...rest } = last
      return {
        ...rest,
        violations: findings.length,
        findings: findings.slice(0, TOLD),
        ageMs: last.checkedAt === null ? null : Math.round(timers.now() - endedAt),
        compared: digests.compared,
        agreedAt: digests.agreedAt,
      }
    },
    get isSound() {
      for (const { findings } of standing.values()) if (findings.some(({ code }) => isOfState(code))) return false
      return true
    },
    step,
    digests: () => digests.taken(),
    compare(others) {
      digests.compare(others, replica.storeTime)
      const { divergences } = digests
      const [first] = divergences
      if (first !== undefined && divergences.length > told) warn(`replicas have come apart: ${textOf(first)}`)
      told = divergences.length
    },
    close() {
      stop()
      digests.close()
    },
  }
}

const isSame = (a: Finding, b: Finding): boolean => a.code === b.code && a.field === b.field && a.claim === b.claim

const textOf = ({ code, subject, name, field, expected, actual }: Finding): string =>
  `${code}: ${subject} ${name}, ${field}: expected ${expected}, found ${actual}`
