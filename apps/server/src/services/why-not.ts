import { type Check, type HostName, hostKey, reasonText } from '@gantt/scheduler-core'
import type { Examined, HostOutcome, HostVerdict } from './examined.ts'
import type { HostNameInput } from './hosts.ts'

/** How far a host stayed behind the winner by one weigher, in contributions to the total. */
export interface WeigherGap {
  readonly weigher: string
  readonly unit: string
  readonly host: number
  readonly winner: number
  readonly gap: number
  readonly hostRaw: number
  readonly winnerRaw: number
}

export interface WhyNotAnswer {
  readonly headline: string
  readonly outcome: HostOutcome
  readonly verdict: HostVerdict
  readonly examined: Examined
  readonly versusWinner: readonly WeigherGap[]
  /** Whether it would pass every filter at present; null when the host is not there. */
  readonly wouldPassNow: boolean | null
}

/** Why a host was not chosen, or that it was: one sentence, every check, and the gap to the winner. */
export async function whyNotOf(examined: Examined, name: HostNameInput, passesNow: () => boolean | null): Promise<WhyNotAnswer> {
  const { names, question } = examined
  const node = name.node ?? undefined
  const index = names.findIndex((known) => known.host === name.host && (node === undefined || known.node === node))
  const wouldPassNow = passesNow()
  if (index < 0) {
    const unknown: HostName = { host: name.host, node: node ?? name.host }
    return {
      headline: `${hostKey(unknown)} was not known at revision ${question.basis}: no host of that name had reported.`,
      outcome: 'UNKNOWN',
      verdict: { ...unknown, outcome: 'UNKNOWN', rank: null, weights: [], total: null, checks: () => Promise.resolve([]) },
      examined,
      versusWinner: [],
      wouldPassNow,
    }
  }
  const verdict = examined.verdict(index)
  const winner = winnerOf(examined)
  const versusWinner = verdict.outcome === 'FILTERED' || winner === undefined ? [] : gapsOf(verdict, winner)
  return {
    headline: headlineOf(examined, verdict, winner, versusWinner, await verdict.checks(false)),
    outcome: verdict.outcome,
    verdict,
    examined,
    versusWinner,
    wouldPassNow,
  }
}

/** The host that was taken, else the one that the order puts first. */
function winnerOf(examined: Examined): HostVerdict | undefined {
  const { ranked, weighed, names, question, instance } = examined
  const selected = question.answer[instance]?.selected
  const taken = selected === undefined ? -1 : names.findIndex(({ host, node }) => host === selected.host && node === selected.node)
  const index = taken >= 0 ? taken : weighed.hosts[ranked[0] ?? -1]
  return index === undefined ? undefined : examined.verdict(index)
}

function gapsOf(verdict: HostVerdict, winner: HostVerdict): WeigherGap[] {
  return verdict.weights.map((score, i) => {
    const best = winner.weights[i] ?? score
    return {
      weigher: score.weigher,
      unit: score.unit,
      host: score.weighted,
      winner: best.weighted,
      gap: best.weighted - score.weighted,
      hostRaw: score.raw,
      winnerRaw: best.raw,
    }
  })
}

function headlineOf(
  { hostCount, ranked }: Examined,
  verdict: HostVerdict,
  winner: HostVerdict | undefined,
  gaps: readonly WeigherGap[],
  checks: readonly Check[],
): string {
  const name = hostKey(verdict)
  if (verdict.outcome === 'SELECTED')
    return `${name} was selected: the best of ${ranked.length} hosts that passed every filter, of ${hostCount}.`
  if (verdict.outcome === 'FILTERED') {
    const failed = checks.filter(({ reason }) => reason !== undefined)
    const [first] = failed
    const text = first?.reason === undefined ? 'It was refused.' : reasonText(first.reason)
    const more = failed.length > 1 ? ` ${failed.length - 1} more ${failed.length === 2 ? 'filter refuses' : 'filters refuse'} it.` : ''
    return `${name} was refused by ${first?.filter ?? 'a filter'}. ${text}${more}`
  }
  const how = verdict.outcome === 'ALTERNATE' ? 'was the next best' : 'passed every filter and lost on weight'
  if (winner === undefined) return `${name} ${how}.`
  const place = `rank ${verdict.rank} of ${ranked.length}, ${verdict.total} against ${winner.total} of ${hostKey(winner)}`
  const [most] = [...gaps].sort((a, b) => b.gap - a.gap)
  const why =
    most === undefined || most.gap <= 0
      ? 'The scores are equal; the order of hosts decided.'
      : `Most by ${most.weigher}: ${most.hostRaw} against ${most.winnerRaw} ${most.unit}.`
  return `${name} ${how}: ${place}. ${why}`
}
