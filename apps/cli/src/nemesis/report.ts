import type { Injected } from './faults.ts'
import { type FinalState, isLiveState, type Operation, type Setting } from './history.ts'

/** What a run held, and for how long nothing was answered. */
export interface Figures {
  readonly operations: number
  readonly seconds: number
  /** Calls that were answered, per second and kind. */
  readonly perSecond: Readonly<Record<string, number>>
  readonly outcomes: Readonly<Record<Operation['outcome']['type'], number>>
  readonly faults: Readonly<Record<string, number>>
  readonly claims: number
  readonly liveAtTheEnd: number
  readonly refused: number
  /** Keys that were asked for more than once because an answer was lost. */
  readonly repeated: number
  readonly lost: number
  readonly behind: number
  /** The longest time in which no write was answered by any replica. */
  readonly longestUnavailableMs: number
  /** What was done to the cluster shortly before and in that time. */
  readonly meanwhile: readonly string[]
  readonly hosts: number
  /** Of answered calls, milliseconds. */
  readonly latency: { readonly p50: number; readonly p99: number }
}

/** A fault is felt for a while after it began. */
const SHORTLY_MS = 1_000

export function figuresOf(
  history: readonly Operation[],
  injected: readonly Injected[],
  final: FinalState | undefined,
  setting: Setting,
): Figures {
  const seconds = Math.max(0.001, Math.max(...history.map(({ endedAt }) => endedAt)) / 1_000)
  const answered = history.filter(({ outcome }) => outcome.type === 'ok')
  const answers = answered.flatMap(({ outcome }) => (outcome.type === 'ok' ? [outcome.answer] : []))
  const perSecond = Object.fromEntries(
    Object.entries(countBy(answered, ({ call }) => (call.type === 'place' && call.moveOf !== null ? 'move' : call.type))).map(
      ([type, count]) => [type, Math.round((10 * count) / seconds) / 10],
    ),
  )
  const writes = answered.filter(({ call }) => call.type !== 'read').map(({ endedAt }) => endedAt)
  const latencies = answered.map(({ invokedAt, endedAt }) => endedAt - invokedAt).sort((a, b) => a - b)
  const times = [0, ...writes.sort((a, b) => a - b)]
  const gaps = times.slice(1).map((to, i) => ({ from: times[i] as number, to }))
  const longest = gaps.reduce((most, gap) => (gap.to - gap.from > most.to - most.from ? gap : most), { from: 0, to: 0 })
  const meanwhile = injected.filter(({ at }) => at > longest.from - SHORTLY_MS && at < longest.to)
  return {
    operations: history.length,
    seconds: Math.round(seconds * 10) / 10,
    perSecond,
    outcomes: { ok: 0, fail: 0, info: 0, ...countBy(history, ({ outcome }) => outcome.type) },
    faults: countBy(injected, ({ fault }) => fault),
    claims: final?.claims.length ?? 0,
    liveAtTheEnd: final?.claims.filter(({ state }) => isLiveState(state)).length ?? 0,
    refused: answers.filter(({ type }) => type === 'refused').length,
    repeated: answers.filter((answer) => answer.type === 'placed' && answer.replayed).length,
    lost: answers.flatMap((answer) => (answer.type === 'ends' ? answer.results.filter(({ end }) => end === 'lost') : [])).length,
    behind: answers.filter(({ type }) => type === 'behind').length,
    longestUnavailableMs: Math.round(longest.to - longest.from),
    meanwhile: meanwhile.map(({ fault, at }) => `${fault} at ${(at / 1_000).toFixed(1)} s`),
    hosts: setting.hosts.length,
    latency: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
  }
}

const percentile = (ordered: readonly number[], part: number): number =>
  Math.round(ordered[Math.min(ordered.length - 1, Math.floor(part * ordered.length))] ?? 0)

/** The figures for people. */
export function linesOf(figures: Figures): string[] {
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
    `outcomes     ${outcomes.ok} answered, ${outcomes.info} unknown, ${outcomes.fail} never begun`,
    `faults       ${list(faults)}`,
    `claims       ${figures.claims} made, ${figures.liveAtTheEnd} live at the end`,
    `conflicts    ${figures.refused} calls found no host, ${figures.lost} claims were lost to their callers, ${figures.repeated} calls were answered again, ${figures.behind} replicas were behind`,
    `unavailable  ${figures.longestUnavailableMs} ms at the longest without any write answered (${figures.meanwhile.join(', ')})`,
  ]
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}
