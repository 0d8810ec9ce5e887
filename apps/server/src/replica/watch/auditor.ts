import {
  type AuditCode,
  audit,
  auditWorld,
  counted,
  type Finding,
  type Fleet,
  isStateFinding,
  type Looked,
  type Severity,
  severityOf,
} from '@gantt/scheduler-core'
import type { ReplicaRow, TakenDigests } from '../../stores/replicas.ts'
import type { Timers } from '../../timers.ts'
import type { Replica } from '../replica.ts'
import { countOf, Found, fairlyFirst, type PresentFinding, toPresent } from './found.ts'
import { createStateDigests } from './state-digests.ts'

/** The auditor works for this long in each interval of EVERY_MS, so it uses at most 4 % of the process's time. */
const SLICE_MS = 2
const EVERY_MS = 50
/** The pause between rounds, because a round of a small fleet ends at once. */
const REST_MS = 1_000
/** At most this many findings are listed. All are counted. */
const LISTED = 100

export type { PresentFinding } from './found.ts'

export interface AuditorView {
  /** How many violations there are; warnings and notices are counted separately. */
  readonly violations: number
  readonly warnings: number
  readonly notices: number
  /** How many findings exist at present, by code. */
  readonly counts: ReadonlyMap<AuditCode, number>
  /** At most a hundred findings, most severe first. If there are more, each code gets a share of the hundred. */
  readonly findings: readonly PresentFinding[]
  /** How long there has been no violation. Null while there is one, and before the end of the first round. */
  readonly clean: CleanRounds | null
  /** The end of the last full round by the store's clock; null before the first round has ended. */
  readonly checkedAt: number | null
  /** Milliseconds since the end of the last full round; null before the first round has ended. */
  readonly ageMs: number | null
  /** How many rounds are complete. */
  readonly rounds: number
  /** The duration of the last round, and how many objects it checked. */
  readonly roundMs: number | null
  readonly looked: number
  /** How many digests were compared with those of other replicas, and the store time of the last equal one. */
  readonly compared: number
  readonly agreedAt: number | null
  /** How many decisions of this replica were made a second time, by examining every host. */
  readonly decisionsChecked: number
}

/** The latest consecutive rounds without a violation. */
export interface CleanRounds {
  /** When the first of these rounds began, by the store's clock. */
  readonly since: number
  readonly rounds: number
  /** How many hosts, claims, keys and other objects were checked in these rounds. */
  readonly looks: number
}

/** Checks a replica's state constantly, in slices between other work. It changes nothing in the state. */
export interface Auditor {
  view(): AuditorView
  /** All present findings, in any order. */
  all(): Iterable<PresentFinding>
  /** The present finding with this id. */
  find(id: string): PresentFinding | undefined
  /** True if the auditor has found no error in this replica's own state. Differences from other replicas do not matter. */
  readonly isSound: boolean
  /** Does one slice of the work. Called by a timer, and by tests. */
  step(): void
  digests(): TakenDigests
  compare(others: readonly ReplicaRow[]): void
  close(): void
}

export interface AuditorOptions {
  readonly replica: Pick<Replica, 'fleet' | 'storeTime' | 'onApplied' | 'decisionChecks'>
  readonly timers: Timers
  /** Warns operators of new findings. */
  warn(message: string): void
  /** How long reports may lag behind the claims, in milliseconds; default DEFAULT_UNLISTED_AFTER_MS. */
  readonly unlistedAfterMs?: number | undefined
}

/**
 * A full round checks the claims and keys of the state, and the reports of hosts. The state contains every ended claim that an idempotency
 * key refers to, so one pass through it can take hours. The reports are checked repeatedly meanwhile.
 */
interface Round {
  readonly fleet: Fleet
  readonly startedAt: number
  /** The time at which the round began, by the store's clock. */
  readonly beganAt: number
  readonly books: Pass
  world: Pass
  /** How many objects all passes have checked. */
  looks: number
}

/** One pass through the claims and keys, or through the reports of hosts. Some objects are checked in both passes. */
interface Pass {
  readonly number: number
  readonly at: 'state' | 'world'
  readonly steps: Generator<Looked, void>
  looked: number
  readonly fresh: Finding[]
  /** The time at which the pass ended; undefined while it runs. */
  endedAt: number | undefined
}

export function createAuditor({ replica, timers, warn, unlistedAfterMs }: AuditorOptions): Auditor {
  const digests = createStateDigests(replica)
  const found = new Found()
  let begun = 0
  let clean: CleanRounds | null = null
  let round: Round | undefined
  let last: Pick<AuditorView, 'checkedAt' | 'rounds' | 'roundMs' | 'looked'> & { readonly endedAt: number } = {
    checkedAt: null,
    rounds: 0,
    roundMs: null,
    looked: 0,
    endedAt: Number.NEGATIVE_INFINITY,
  }
  let reported = 0

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
  /** Continues a pass until the time `until`. Returns false if the pass has ended. */
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
  const checks = replica.decisionChecks
  const violations = (): number => countOf(found.counts, 'VIOLATION') + digests.divergences.length + checks.differed
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
    const unsound = fresh.filter(({ code }) => isStateFinding(code))
    const of = (severity: Severity) => fresh.filter(({ code }) => !isStateFinding(code) && severityOf(code) === severity)
    // operators are not warned of codes that begin with `use.`, because the caller that reported the usage has already got these warnings
    const contradicted = of('WARNING').filter(({ code }) => !code.startsWith('use.'))
    const promised = of('VIOLATION')
    if (unsound[0] !== undefined)
      warn(
        `the auditor found ${unsound.length} violations; this replica writes no checkpoint until they are gone. The first: ${textOf(unsound[0])}`,
      )
    if (promised[0] !== undefined)
      warn(`the auditor found ${promised.length} claims that no rule would allow today. The first: ${textOf(promised[0])}`)
    if (contradicted[0] !== undefined)
      warn(
        `the auditor found ${counted(contradicted.length, 'contradiction')} between reports and claims. The first: ${textOf(contradicted[0])}`,
      )
  }
  const step = (): void => {
    const from = timers.now()
    const until = from + SLICE_MS
    // Digests the state while the log does not change. Half of the slice is reserved for this, because a round of a large fleet takes
    // minutes and the log is seldom unchanged for that long.
    let more = digests.step()
    while (more && timers.now() < from + SLICE_MS / 2) more = digests.step()
    // another fleet replaced the checked one, so the round starts again
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
  function* present(): Generator<PresentFinding, void> {
    yield* found.all()
    for (const finding of digests.divergences) yield toPresent(finding, finding.since)
    for (const finding of checks.differences) yield toPresent(finding, finding.since)
  }

  return {
    view() {
      const { endedAt, ...rest } = last
      const { counts } = found
      const others = (
        [
          ['state.diverged', digests.divergences.length],
          ['decision.differs', checks.differed],
        ] as const
      ).filter(([, count]) => count > 0)
      const cleanNow = violations() > 0 ? null : clean
      return {
        ...rest,
        violations: violations(),
        warnings: countOf(counts, 'WARNING'),
        notices: countOf(counts, 'NOTICE'),
        counts: others.length === 0 ? counts : new Map<AuditCode, number>([...counts, ...others]),
        get findings() {
          return fairlyFirst(present, this.counts, LISTED)
        },
        clean: cleanNow,
        ageMs: last.checkedAt === null ? null : Math.round(timers.now() - endedAt),
        compared: digests.compared,
        agreedAt: digests.agreedAt,
        decisionsChecked: checks.checked,
      }
    },
    all: present,
    find(id) {
      for (const finding of present()) if (finding.id === id) return finding
      return undefined
    },
    get isSound() {
      for (const code of found.counts.keys()) if (isStateFinding(code)) return false
      return true
    },
    step,
    digests: () => digests.taken(),
    compare(others) {
      digests.compare(others, replica.storeTime)
      const { divergences } = digests
      const [first] = divergences
      if (first !== undefined && divergences.length > reported) warn(`the states of replicas differ: ${textOf(first)}`)
      reported = divergences.length
    },
    close() {
      stop()
      digests.close()
    },
  }
}

const textOf = ({ code, subject, name, field, expected, actual }: Finding): string =>
  `${code}: ${subject} ${name}, ${field}: expected ${expected}, found ${actual}`
