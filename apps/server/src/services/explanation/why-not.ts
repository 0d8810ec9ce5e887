import {
  type Check,
  type Gone,
  type HostChange,
  type HostName,
  type HostTable,
  isNamedIn,
  reasonText,
  winningMultipliersInSteps,
} from '@gantt/scheduler-core'
import { answerYielding } from '../../event-loop/query.ts'
import type { HostNameInput } from '../host/hosts.ts'
import { type Examined, type HostOutcome, type HostVerdict, indexOfHost } from './examined.ts'
import { addressIn } from './explanation-text.ts'
import { decidingOf } from './weighing.ts'

/** The scores of one weigher for a host and for the selected host, and the difference of the scores. */
export interface WeigherGap {
  readonly weigher: string
  readonly unit: string
  readonly host: number
  readonly winner: number
  readonly gap: number
  readonly hostRaw: number
  readonly winnerRaw: number
  /** Why the host or the winner has no raw value of its own, as a sentence. Null if it has one. */
  readonly hostMissing: string | null
  readonly winnerMissing: string | null
  /**
   * The nearest multiplier with which the host would have ranked first if all other multipliers were unchanged. Null if no multiplier has
   * this effect.
   */
  readonly wouldFlipAt: number | null
}

/**
 * SELECTED: the host was selected. REFUSED: a filter refused the host. LOST: the host passed, but a different host was selected.
 * NEVER_CONSIDERED: the host was unknown or forgotten at the time of the decision, or the request excludes the host.
 */
export type WhyNotCase = 'SELECTED' | 'REFUSED' | 'LOST' | 'NEVER_CONSIDERED'

/**
 * Why a host was not considered. SEEN_LATER: the host first reported after the decision. NEVER_SEEN: it never reported. FORGOTTEN: it had
 * left. EXCLUDED: the request excludes it.
 */
export interface NeverConsidered {
  readonly kind: 'SEEN_LATER' | 'NEVER_SEEN' | 'FORGOTTEN' | 'EXCLUDED'
  readonly text: string
  /** The first report of the host if it came after the decision; otherwise null. */
  readonly firstSeen: { readonly revision: number; readonly at: number | null } | null
  /** The fields of the request that exclude the host; empty if no field excludes the host. */
  readonly fields: readonly string[]
}

/** The facts about the host now, for comparison with the decision. */
export interface Present {
  /** The present verdict of every filter; undefined if the host or the profile no longer exists. */
  readonly checks?: readonly Check[] | undefined
  /** The first report of the host; absent if it never reported. */
  readonly firstSeen?: { readonly revision: number; readonly at: number | null }
  readonly changes: readonly HostChange[]
}

export interface WhyNotAnswer {
  readonly headline: string
  readonly outcome: HostOutcome
  readonly because: WhyNotCase
  readonly neverConsidered: NeverConsidered | null
  readonly verdict: HostVerdict
  readonly examined: Examined
  readonly versusWinner: readonly WeigherGap[]
  /** True if the host would pass every filter now; null if the host or the profile no longer exists. */
  readonly wouldPassNow: boolean | null
  /** The checks that refuse the host at present. */
  readonly nowRefusedBy: readonly Check[]
  readonly changedSince: readonly HostChange[]
  /** Why `changedSince` is incomplete; null if it is complete. */
  readonly changedSinceNote: string | null
}

/** The name of the step that refuses the hosts that the request excludes, before the filters of the profile. */
const CANDIDATES = 'Candidates'

const isRefusal = ({ verdict }: Check): boolean => verdict === 'FAIL' || verdict === 'ERROR'

/**
 * Selects a node of a host: the node that the caller names, otherwise the selected node, otherwise the node with the best rank, otherwise
 * the first node. Undefined if the host was unknown.
 */
export function askedNode(
  hosts: HostTable,
  { hosts: known, outcomeOf, ranked, weighed }: Examined,
  asked: HostNameInput,
): HostName | undefined {
  const isAsked = isNamedIn(hosts, [asked])
  const nodes = known.flatMap((one, index) => (one.gone === null && isAsked(one) ? [index] : []))
  const taken = nodes.find((index) => outcomeOf(index) === 'SELECTED')
  const best = ranked.find((position) => nodes.includes(weighed.hosts[position] as number))
  return known[taken ?? (best === undefined ? nodes[0] : weighed.hosts[best]) ?? -1]
}

/**
 * Explains whether and why a host was not selected: one sentence, every check, the score difference to the selected host, and the present
 * verdict.
 */
export async function whyNotOf(examined: Examined, name: HostNameInput, present: Present): Promise<WhyNotAnswer> {
  const { hosts, question } = examined
  const node = name.node ?? undefined
  const index = indexOfHost(examined, name)
  const left = hosts[index]?.gone ?? null
  const now = {
    wouldPassNow: present.checks === undefined ? null : !present.checks.some(isRefusal),
    nowRefusedBy: present.checks?.filter(isRefusal) ?? [],
    changedSince: present.changes,
    changedSinceNote:
      question.lost === undefined ? null : `The log no longer contains revision ${question.lost}: later changes are not known.`,
  }
  if (index < 0 || left !== null) {
    const unknown: HostName = hosts[index] ?? { host: name.host, node: node ?? name.host }
    const address = addressIn(examined, unknown)
    return {
      headline:
        left === null
          ? `${address} was not known at revision ${question.basis}: no host of that name had reported.`
          : `${address} was not in the fleet at revision ${question.basis}. ${forgottenText(address, left)}`,
      outcome: 'UNKNOWN',
      because: 'NEVER_CONSIDERED',
      neverConsidered:
        left === null
          ? unknownThen(address, present)
          : { kind: 'FORGOTTEN', text: forgottenText(address, left), firstSeen: null, fields: [] },
      verdict: {
        ...unknown,
        outcome: 'UNKNOWN',
        rank: null,
        weights: [],
        total: null,
        reportAgeMs: null,
        checks: () => Promise.resolve([]),
      },
      examined,
      versusWinner: [],
      ...now,
    }
  }
  const verdict = examined.verdict(index)
  const winner = winnerOf(examined)
  const checks = await verdict.checks(false)
  const versusWinner = verdict.outcome === 'FILTERED' || winner === undefined ? [] : await gapsOf(examined, index, verdict, winner)
  const neverConsidered = excludedBy(examined, verdict, checks)
  return {
    headline: headlineOf(examined, verdict, winner, versusWinner, checks),
    outcome: verdict.outcome,
    because:
      neverConsidered !== null
        ? 'NEVER_CONSIDERED'
        : verdict.outcome === 'FILTERED'
          ? 'REFUSED'
          : verdict.outcome === 'SELECTED'
            ? 'SELECTED'
            : 'LOST',
    neverConsidered,
    verdict,
    examined,
    versusWinner,
    ...now,
  }
}

const forgottenText = (name: string, { at, reason, isReadmitted }: Gone): string =>
  `${name} was forgotten at ${new Date(at).toISOString()}: ${reason}.${isReadmitted ? ' It was readmitted, and had not reported since.' : ''}`

function unknownThen(name: string, { firstSeen }: Present): NeverConsidered {
  if (firstSeen === undefined) return { kind: 'NEVER_SEEN', text: `No host named ${name} has ever reported.`, firstSeen: null, fields: [] }
  const when = firstSeen.at === null ? '' : `, ${new Date(firstSeen.at).toISOString()}`
  return { kind: 'SEEN_LATER', text: `${name} was first seen later: at revision ${firstSeen.revision}${when}.`, firstSeen, fields: [] }
}

/** The fields of the request that exclude the host before any filter of the profile runs; null if no field does. */
function excludedBy(examined: Examined, verdict: HostVerdict, [candidates]: readonly Check[]): NeverConsidered | null {
  if (candidates?.filter !== CANDIDATES || candidates.verdict !== 'FAIL') return null
  const fields = [...new Set((candidates.facts ?? []).map(({ requiredFrom }) => requiredFrom.ref))]
  return {
    kind: 'EXCLUDED',
    text: `The request excludes ${addressIn(examined, verdict)} by ${fields.join(' and ')}.`,
    firstSeen: null,
    fields,
  }
}

/** The selected host or, if no host was selected, the host with rank 1. */
function winnerOf(examined: Examined): HostVerdict | undefined {
  const { ranked, weighed, question, instance } = examined
  const selected = question.answer[instance]?.selected
  const taken = selected === undefined ? -1 : indexOfHost(examined, selected)
  const index = taken >= 0 ? taken : weighed.hosts[ranked[0] ?? -1]
  return index === undefined ? undefined : examined.verdict(index)
}

async function gapsOf(examined: Examined, index: number, verdict: HostVerdict, winner: HostVerdict): Promise<WeigherGap[]> {
  const position = examined.weighed.hosts.indexOf(index)
  const winning = await answerYielding(winningMultipliersInSteps(examined, position))
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
      hostMissing: score.missing,
      winnerMissing: best.missing,
      wouldFlipAt: winning[i] ?? null,
    }
  })
}

/**
 * The rest of a sentence that begins with the host's name, if a solver, a server group, a plug-in or the seed decided against the host.
 * Undefined if the host's rank decided.
 */
function decidedOtherwise(examined: Examined, { rank, total }: HostVerdict, winner: HostVerdict): string | undefined {
  const { question, ranked } = examined
  const { scheduler, hostSubsetSize } = question.profile
  const passed = ranked.length
  const taken = addressIn(examined, winner)
  const deciding = decidingOf(examined)
  if (deciding === 'SOLVER')
    return `passed every filter, and was not selected for this instance: of the ${passed} hosts that passed, the best arrangement of all instances, which the solver found, puts it on ${taken}.`
  if (deciding === 'TOGETHER' && ranksAbove(rank, winner.rank))
    return `passed every filter for one instance, and was not selected: the ${question.record.request.numInstances} instances of the request go to one host, because their server group requires it, and ${taken} is the best that holds all of them.`
  if (deciding === 'ANY')
    return `passed every filter, and was not selected: the seed selected ${taken} from the ${passed} hosts that passed.`
  if (deciding === 'PLUGIN')
    return `passed every filter, and was not selected: of the ${passed} hosts that passed, the scheduler ${scheduler} of a plug-in selected ${taken} by its own rules.`
  if (rank === null || hostSubsetSize === 1 || rank > hostSubsetSize) return undefined
  const best = `was among the ${Math.min(hostSubsetSize, passed)} best: rank ${rank} of ${passed}, ${total}.`
  return `${best} The seed selected one of them: ${taken}, rank ${winner.rank} with ${winner.total}.`
}

const ranksAbove = (rank: number | null, other: number | null): boolean => rank !== null && (other === null || rank < other)

/** The raw values of two hosts as the end of a sentence. A value that is missing is called not known, with the reason. */
function gapText({ hostRaw, winnerRaw, unit, hostMissing, winnerMissing }: WeigherGap): string {
  const [own, best] = [hostMissing === null ? hostRaw : 'not known', winnerMissing === null ? winnerRaw : 'not known']
  return [`${own} against ${best} ${unit}.`, ...[hostMissing, winnerMissing].filter((text) => text !== null)].join(' ')
}

function headlineOf(
  examined: Examined,
  verdict: HostVerdict,
  winner: HostVerdict | undefined,
  gaps: readonly WeigherGap[],
  checks: readonly Check[],
): string {
  const { hostCount, ranked } = examined
  const name = addressIn(examined, verdict)
  if (verdict.outcome === 'SELECTED')
    return `${name} was selected: ${verdict.rank === 1 ? 'the best' : `rank ${verdict.rank}`} of ${ranked.length} ${ranked.length === 1 ? 'host' : 'hosts'} that passed every filter, of ${hostCount}.`
  if (verdict.outcome === 'FILTERED') {
    const failed = checks.filter(({ reason }) => reason !== undefined)
    const [first] = failed
    const text = first?.reason === undefined ? 'The host was refused.' : reasonText(first.reason)
    const more = failed.length > 1 ? ` ${failed.length - 1} more ${failed.length === 2 ? 'filter refuses' : 'filters refuse'} it.` : ''
    return `${name} was refused by ${first?.filter ?? 'a filter'}. ${text}${more}`
  }
  const otherwise = winner === undefined ? undefined : decidedOtherwise(examined, verdict, winner)
  if (otherwise !== undefined) return `${name} ${otherwise}`
  const how = verdict.outcome === 'ALTERNATE' ? 'was the next best' : 'passed every filter and lost on weight'
  if (winner === undefined) return `${name} ${how}.`
  const place = `rank ${verdict.rank} of ${ranked.length}, ${verdict.total} against ${winner.total} of ${addressIn(examined, winner)}`
  const [most] = [...gaps].sort((a, b) => b.gap - a.gap)
  const why =
    most === undefined || most.gap <= 0 ? 'The scores are equal; the order of hosts decided.' : `Most by ${most.weigher}: ${gapText(most)}`
  return `${name} ${how}: ${place}. ${why}`
}
