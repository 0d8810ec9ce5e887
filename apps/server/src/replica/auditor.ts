import {
  type AuditCode,
  audit,
  auditWorld,
  counted,
  type Finding,
  type Fleet,
  isOfState,
  type Looked,
  type Severity,
  severityOf,
} from '@gantt/scheduler-core'
import type { ReplicaRow, TakenDigests } from '../stores/replicas.ts'
import type { Timers } from '../timers.ts'
import { countOf, Found, fairlyFirst, type StandingFinding, toStanding } from './found.ts'
import type { Replica } from './replica.ts'
import { createStateDigests } from './state-digests.ts'

/** A slice of the auditor's work, and how often one comes: it takes at most a twentieth of the process's time. */
const SLICE_MS = 2
const EVERY_MS = 50
/** A round of a small fleet is over at once; the next begins after this. */
const REST_MS = 1_000
/** Findings that are told; all are counted. */
const TOLD = 100

export type { StandingFinding } from './found.ts'

export interface AuditorView {
  /** How many findings break a promise of this service, contradict the claims, or are only to be known. */
  readonly violations: number
  readonly warnings: number
  readonly notices: number
  /** Findings by code, of those that there are. */
  readonly counts: ReadonlyMap<AuditCode, number>
  /** A hundred, of each code a share; those of most weight first. */
  readonly findings: readonly StandingFinding[]
  /** How long there has been no violation; null while there is one, and before the first round is over. */
  readonly clean: Clean | null
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

/** Rounds without a violation, one after the other up to now. */
export interface Clean {
  /** Store time at which the first of them began. */
  readonly since: number
  readonly rounds: number
  /** Hosts, claims, keys and the like that were looked at in them, each as often as it was. */
  readonly looks: number
}

/** Looks through a replica's state all the time, in slices between other work; it never changes anything. */
export interface Auditor {
  view(): AuditorView
  /** All that are there now, in no order. */
  all(): Iterable<StandingFinding>
  /** The finding of that id that is there now. */
  find(id: string): StandingFinding | undefined
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
  /** How long what hosts list may lag behind the claims, milliseconds; DEFAULT_UNLISTED_AFTER_MS if not given. */
  readonly unlistedAfterMs?: number | undefined
}

/**
 * Everything looked at once: the books, and beside them what hosts report. The books hold every ended claim that a key keeps, so that
 * looking through them may take hours; what hosts report is looked through again and again meanwhile, however long they are.
 */
interface Round {
  readonly fleet: Fleet
  readonly startedAt: number
  /** Store time. */
  readonly beganAt: number
  readonly books: Pass
  world: Pass
  /** Of all passes. */
  looks: number
}

/** One way through the books or through what hosts report: a thing may be looked at in both. */
interface Pass {
  readonly number: number
  readonly at: 'state' | 'world'
  readonly steps: Generator<Looked, void>
  looked: number
  readonly fresh: Finding[]
  /** When it was over; undefined while it goes on. */
  endedAt: number | undefined
}

export function createAuditor({ replica, timers, warn, unlistedAfterMs }: AuditorOptions): Auditor {
  const digests = createStateDigests(replica)
  const found = new Found()
  let begun = 0
  let clean: Clean | null = null
  let round: Round | undefined
  let last: Pick<AuditorView, 'checkedAt' | 'rounds' | 'roundMs' | 'looked'> & { readonly endedAt: number } = {
    checkedAt: null,
    rounds: 0,
    roundMs: null,
    looked: 0,
    endedAt: Number.NEGATIVE_INFINITY,
  }
  let told = 0

  const passOf = (at: Pass['at'], steps: Pass['steps']): Pass => ({
    ...{ number: ++begun, at, steps, looked: 0, fresh: [], endedAt: undefined },
  })
  const worldPass = (): Pass => passOf('world', auditWorld(replica.fleet, unlistedAfterMs, replica.storeTime))
  const begin = (): Round => ({
    fleet: replica.fleet,
    startedAt: timers.now(),
    beganAt: replica.storeTime,
    books: passOf('state', audit(replica.fleet)),
    world: worldPass(),
    looks: 0,
  })
  /** Goes on with a pass until a time; whether it may be gone on with. */
  const goOn = (current: Round, pass: Pass, until: number): boolean => {
    while (pass.endedAt === undefined && timers.now() < until) {
      const next = pass.steps.next()
      if (next.done === true) {
        pass.endedAt = timers.now()
        found.forgetBefore(pass.at, pass.number)
        tellOf(pass.fresh)
        break
      }
      const { subject, name, findings } = next.value
      pass.looked++
      current.looks++
      pass.fresh.push(...found.note(pass.at, `${subject} ${name}`, findings, pass.number, replica.storeTime))
    }
    return pass.endedAt === undefined
  }
  const violations = (): number => countOf(found.counts, 'VIOLATION') + digests.divergences.length
  const end = (current: Round): void => {
    const now = timers.now()
    const looked = current.books.looked + current.world.looked
    last = { checkedAt: replica.storeTime, rounds: last.rounds + 1, roundMs: now - current.startedAt, looked, endedAt: now }
    clean =
      violations() > 0
        ? null
        : { since: clean?.since ?? current.beganAt, rounds: (clean?.rounds ?? 0) + 1, looks: (clean?.looks ?? 0) + current.looks }
  }
  const tellOf = (fresh: readonly Finding[]): void => {
    const unsound = fresh.filter(({ code }) => isOfState(code))
    const of = (severity: Severity) => fresh.filter(({ code }) => !isOfState(code) && severityOf(code) === severity)
    // who reported its use was answered so already
    const contradicted = of('WARNING').filter(({ code }) => !code.startsWith('use.'))
    const promised = of('VIOLATION')
    if (unsound[0] !== undefined)
      warn(
        `the auditor found ${unsound.length} things that cannot be; this replica writes no checkpoint until they are gone. The first: ${textOf(unsound[0])}`,
      )
    if (promised[0] !== undefined)
      warn(`the auditor found ${promised.length} things that no rule would let in today. The first: ${textOf(promised[0])}`)
    if (contradicted[0] !== undefined)
      warn(
        `the auditor found ${counted(contradicted.length, 'contradiction')} between reports and claims. The first: ${textOf(contradicted[0])}`,
      )
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
      found.clear()
      clean = null
    }
    if (round === undefined && timers.now() - last.endedAt >= REST_MS) round = begin()
    if (round !== undefined) {
      const { books, world } = round
      if (books.endedAt === undefined && world.endedAt !== undefined && timers.now() - world.endedAt >= REST_MS) round.world = worldPass()
      const now = timers.now()
      goOn(round, round.world, books.endedAt === undefined ? (now + until) / 2 : until)
      goOn(round, books, until)
      if (!goOn(round, round.world, until) && books.endedAt !== undefined) {
        end(round)
        round = undefined
      }
    }
    while (more && timers.now() < until) more = digests.step()
  }
  const stop = timers.every(EVERY_MS, step)
  function* standing(): Generator<StandingFinding, void> {
    yield* found.all()
    for (const finding of digests.divergences) yield toStanding(finding, finding.since)
  }

  return {
    view() {
      const { endedAt, ...rest } = last
      const { counts } = found
      const diverged = digests.divergences.length
      const cleanNow = violations() > 0 ? null : clean
      return {
        ...rest,
        violations: violations(),
        warnings: countOf(counts, 'WARNING'),
        notices: countOf(counts, 'NOTICE'),
        counts: diverged === 0 ? counts : new Map([...counts, ['state.diverged', diverged]]),
        get findings() {
          return fairlyFirst(standing, this.counts, TOLD)
        },
        clean: cleanNow,
        ageMs: last.checkedAt === null ? null : Math.round(timers.now() - endedAt),
        compared: digests.compared,
        agreedAt: digests.agreedAt,
      }
    },
    all: standing,
    find(id) {
      for (const finding of standing()) if (finding.id === id) return finding
      return undefined
    },
    get isSound() {
      for (const code of found.counts.keys()) if (isOfState(code)) return false
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

const textOf = ({ code, subject, name, field, expected, actual }: Finding): string =>
  `${code}: ${subject} ${name}, ${field}: expected ${expected}, found ${actual}`
