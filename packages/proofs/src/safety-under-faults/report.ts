import type { Left } from './engine.ts'
import type { Injected } from './faults/faults.ts'
import { type Call, type FinalState, isLiveState, type Operation, type Setting } from './history.ts'
import { type Answered, longestGap, type Unavailability, unavailabilityOf } from './unavailability.ts'

/** Figures about a run: counts of calls and faults, rates, latencies and periods without answers. */
export interface Figures {
  readonly operations: number
  readonly seconds: number
  /** Answered calls per second, by kind. */
  readonly perSecond: Readonly<Record<string, number>>
  readonly outcomes: Readonly<Record<Operation['outcome']['type'], number>>
  /** The most frequent errors of calls with an unknown outcome, with the count of each error. */
  readonly unknown: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  /** The faults that could not be injected, each with the reason. */
  readonly left: readonly Left[]
  readonly claims: number
  readonly liveAtTheEnd: number
  readonly refused: number
  /** How many calls other than reads got no answer, and had to be retried. */
  readonly retries: number
  /** How many placements took effect although they got no answer: the first answer to their key was the stored one of an earlier call. */
  readonly repeated: number
  /** How many further attempts for an instance were placed. */
  readonly attempts: number
  /** The auditor's findings at the end, by code. */
  readonly findings: Readonly<Record<string, number>>
  readonly lost: number
  readonly behind: number
  /** The longest period in milliseconds in which no replica answered a write, and in which none answered a read. */
  readonly longestUnavailableMs: { readonly writes: number; readonly reads: number }
  /** The periods without answers during each fault and shortly after, the longest first. */
  readonly unavailable: readonly Unavailability[]
  readonly hosts: number
  /** The latency of answered calls in milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number }
}

export interface Held {
  readonly history: readonly Operation[]
  readonly injected: readonly Injected[]
  readonly left: readonly Left[]
  readonly final: FinalState | undefined
  readonly setting: Setting
}

export function figuresOf({ history, injected, left, final, setting }: Held): Figures {
  const seconds = history.reduce((last, { endedAt }) => Math.max(last, endedAt), 1) / 1_000
  const answered = history.filter(({ outcome }) => outcome.type === 'ok')
  const answers = answered.flatMap(({ outcome }) => (outcome.type === 'ok' ? [outcome.answer] : []))
  const perSecond = Object.fromEntries(
    Object.entries(countBy(answered, ({ call }) => kindOf(call))).map(([type, count]) => [type, Math.round((10 * count) / seconds) / 10]),
  )
  const latencies = answered.map(({ invokedAt, endedAt }) => endedAt - invokedAt).sort((a, b) => a - b)
  const timesOf = (isRead: boolean): Answered => {
    const calls = history.filter(({ call }) => (call.type === 'read') === isRead)
    return {
      at: calls.filter(({ outcome }) => outcome.type === 'ok').map(({ endedAt }) => endedAt),
      endedAt: calls.reduce((last, { endedAt }) => Math.max(last, endedAt), 0),
    }
  }
  const [writes, reads] = [timesOf(false), timesOf(true)]
  return {
    operations: history.length,
    seconds: Math.round(seconds * 10) / 10,
    perSecond,
    outcomes: { ok: 0, fail: 0, info: 0, ...countBy(history, ({ outcome }) => outcome.type) },
    unknown: commonest(countBy(history, ({ outcome }) => (outcome.type === 'info' ? outcome.why.replace(NUMBERS, '…') : ''))),
    faults: countBy(injected, ({ fault }) => fault),
    left,
    claims: final?.claims.length ?? 0,
    liveAtTheEnd: final?.claims.filter(({ state }) => isLiveState(state)).length ?? 0,
    refused: answers.filter(({ type }) => type === 'refused').length,
    retries: history.filter(({ call, outcome }) => call.type !== 'read' && outcome.type !== 'ok').length,
    repeated: countTakenEffect(history),
    attempts: answered.filter(
      ({ call, outcome }) => kindOf(call) === 'attempt' && outcome.type === 'ok' && outcome.answer.type === 'placed',
    ).length,
    findings: final?.findingCounts ?? {},
    lost: answers.flatMap((answer) => (answer.type === 'ends' ? answer.results.filter(({ end }) => end === 'lost') : [])).length,
    behind: answers.filter(({ type }) => type === 'behind').length,
    longestUnavailableMs: { writes: longestGap(writes), reads: longestGap(reads) },
    unavailable: unavailabilityOf({ writes, reads }, injected),
    hosts: setting.hosts.length,
    latency: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
  }
}

/**
 * Counts the placements without an answer that had taken effect. The first answer to their key then has `replayed`. Calls that callers
 * repeat deliberately, after an answer, do not count.
 */
function countTakenEffect(history: readonly Operation[]): number {
  const firstAnswers = new Map<string, boolean>()
  const missed = new Set<string>()
  for (const { call, outcome } of history.toSorted((one, other) => one.endedAt - other.endedAt)) {
    if (call.type !== 'place' || firstAnswers.has(call.key)) continue
    if (outcome.type !== 'ok') missed.add(call.key)
    else firstAnswers.set(call.key, outcome.answer.type === 'placed' && outcome.answer.replayed)
  }
  return [...firstAnswers].filter(([key, isReplayed]) => isReplayed && missed.has(key)).length
}

function kindOf(call: Call): string {
  if (call.type !== 'place' || call.moveOf === null) return call.type
  return call.attempt === undefined ? 'move' : 'attempt'
}

/** Matches ids and numbers. They are replaced in messages by one character, so that messages of the same kind are equal. */
const NUMBERS = /[0-9a-f-]{8,}|\d+/g
const SHOWN = 8

const commonest = ({ '': _answered, ...counts }: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .slice(0, SHOWN),
  )

const percentile = (ordered: readonly number[], part: number): number =>
  Math.round(ordered[Math.min(ordered.length - 1, Math.floor(part * ordered.length))] ?? 0)

/** The figures as lines for people. `happened` names the injected events. */
export function linesOf(figures: Figures, happened = 'faults'): string[] {
  const { perSecond, outcomes, faults } = figures
  const sum = Math.round(Object.values(perSecond).reduce((total, rate) => total + rate, 0))
  const list = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  return [
    `load         ${sum} answered calls/s for ${figures.seconds} s on ${figures.hosts} hosts (${list(perSecond)})`,
    `latency      ${figures.latency.p50} ms for half of the answers, ${figures.latency.p99} ms for 99 of 100`,
    `outcomes     ${outcomes.ok} answered, ${outcomes.info} unknown, ${outcomes.fail} not delivered`,
    `unknown      ${list(figures.unknown)}`,
    `claims       ${figures.claims} made, ${figures.liveAtTheEnd} live at the end`,
    `conflicts    ${figures.refused} calls found no host, ${figures.lost} claims were lost to their callers, ${figures.retries} calls had to be repeated, ${figures.repeated} of these were placements that had taken effect although no answer arrived, ${figures.behind} replicas were behind`,
    `attempts     ${figures.attempts} instances were placed again on another host`,
    `findings     ${list(figures.findings)}`,
    `unavailable  at most ${figures.longestUnavailableMs.writes} ms without any write answered, ${figures.longestUnavailableMs.reads} ms without any read`,
    `${happened.padEnd(12)} ${Object.values(faults).reduce((total, count) => total + count, 0)}; longest time without any write and any read while they lasted:`,
    ...figures.unavailable.map(
      ({ fault, writesMs, readsMs }) =>
        `  ${String(faults[fault]).padStart(3)} x ${fault.padEnd(FAULT_WIDTH)} ${String(writesMs).padStart(6)} ms ${String(readsMs).padStart(6)} ms`,
    ),
    ...figures.left.map(({ fault, why }) => `    0 x ${fault}: ${why}`),
  ]
}

const FAULT_WIDTH = 56

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}
