import { byCodeUnit, type Check, hostKey, PASSES_ALL, reasonText } from '@gantt/scheduler-core'
import type { RefusalReason } from '../db/rows.ts'
import { type Examined, examineInstance, type HostOutcome, type HostVerdict } from './examined.ts'
import { InputFault } from './outcome.ts'
import { firstOf, keyOf, listOf, MAX_PAGE, type Page, type PageArgs, toCursor } from './paging.ts'

/** One number behind a refusal, and where it comes from. */
export interface Fact {
  readonly subject: string
  readonly required: string | null
  readonly actual: string | null
  readonly shortfall: string | null
  readonly unit: string | null
  readonly source: { readonly kind: string; readonly ref: string }
}

export interface Weighing {
  readonly weighers: readonly {
    readonly name: string
    readonly unit: string
    readonly multiplier: number
    readonly min: number
    readonly max: number
    readonly spread: number
    /** The winner would be another without it. */
    readonly decisive: boolean
  }[]
  readonly hosts: readonly HostVerdict[]
  readonly truncatedAt: number
  readonly candidateCount: number
}

export interface SelectionNote {
  readonly subsetSize: number
  readonly seed: string | null
  /** 0 when no host was taken. */
  readonly pickedRank: number
  readonly tied: number
  readonly text: string
}

export interface VerdictFilter {
  readonly outcome?: readonly HostOutcome[] | null | undefined
  /** Refused first by one of these filters. */
  readonly rejectedBy?: readonly string[] | null | undefined
}

/** The evidence of a check: none where it passed. */
export function factsOf({ filter, reason }: Check): Fact[] {
  if (reason === undefined) return []
  const { subject, need, have, unit, source } = reason
  const shortfall = typeof need === 'number' && typeof have === 'number' && need > have ? String(need - have) : null
  const [kind = 'report', ...ref] = (source ?? 'report').split(' ')
  const isNamed = kind === 'aggregate' || kind === 'extra'
  return [
    {
      subject: subject ?? filter,
      required: need === undefined ? null : String(need),
      actual: have === undefined ? null : String(have),
      shortfall,
      unit: unit ?? null,
      source: isNamed || source === undefined ? { kind, ref: ref.join(' ') } : { kind: 'status', ref: source },
    },
  ]
}

/** Why hosts were refused, most first. */
export const reasonsOf = ({ steps }: Examined): RefusalReason[] =>
  steps
    .flatMap(({ reasons }) => reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })))
    .sort((a, b) => b.hosts - a.hosts)

/** Host by host: those that pass, best first, then those that were refused latest; or all by name. */
export function listVerdicts(examined: Examined, page: PageArgs, filter: VerdictFilter, order: 'RANK' | 'NAME'): Page<HostVerdict> {
  const { question, instance, names } = examined
  const list = listOf('verdicts', [question.record.id, question.basis, question.record.request, instance, filter, order])
  const first = firstOf(list, page)
  const from = (keyOf<[number]>(list, page, ['number'])?.[0] ?? -1) + 1
  const indexes = inOrder(examined, order).filter((index) => matches(examined, index, filter))
  const shown = indexes.slice(from, from + first)
  return {
    edges: shown.map((index, i) => ({ cursor: toCursor(list, [from + i]), node: examined.verdict(index) })),
    hasNextPage: from + first < indexes.length,
    hasPreviousPage: from > 0 && names.length > 0,
    totalCount: () => indexes.length,
  }
}

function inOrder({ names, ranked, weighed, firstRefusing }: Examined, order: 'RANK' | 'NAME'): number[] {
  if (order === 'NAME') return names.map((_, i) => i).sort((a, b) => byCodeUnit(hostKey(nameAt(names, a)), hostKey(nameAt(names, b))))
  const refused = [...firstRefusing.keys()].filter((index) => firstRefusing[index] !== PASSES_ALL)
  const stepOf = (index: number) => firstRefusing[index] as number
  return [...ranked.map((position) => weighed.hosts[position] as number), ...refused.sort((a, b) => stepOf(b) - stepOf(a) || a - b)]
}

const nameAt = (names: Examined['names'], index: number) => names[index] as Examined['names'][number]

function matches(examined: Examined, index: number, { outcome, rejectedBy }: VerdictFilter): boolean {
  const refusing = examined.steps[examined.firstRefusing[index] ?? PASSES_ALL]
  if (rejectedBy && !(refusing !== undefined && rejectedBy.includes(refusing.filter))) return false
  return !outcome || outcome.includes(examined.verdict(index).outcome)
}

export async function weighingOf(examined: Examined, instance: number, top: number): Promise<Weighing> {
  const { numInstances } = examined.question.record.request
  if (top < 1 || top > MAX_PAGE) throw InputFault.at(['weighing', 'top'], top, `1 to ${MAX_PAGE}`)
  if (instance < 0 || instance >= numInstances) throw InputFault.at(['weighing', 'instanceIndex'], instance, `0 to ${numInstances - 1}`)
  const own = instance === examined.instance ? examined : await examineInstance(examined.question, instance)
  const { weighed, ranked } = own
  const hosts = ranked.slice(0, top).map((position) => own.verdict(weighed.hosts[position] as number))
  return {
    weighers: weighed.weighers.map(({ name, unit, multiplier, min, max }, i) => ({
      name,
      unit,
      multiplier,
      min,
      max,
      spread: max - min,
      decisive: isDecisive(own, i),
    })),
    hosts,
    truncatedAt: hosts.length,
    candidateCount: ranked.length,
  }
}

/** Whether another host has a higher total than the winner once one weigher is left out. */
function isDecisive({ weighed: { weighers, totals }, ranked }: Examined, left: number): boolean {
  const [winner] = ranked
  const weigher = weighers[left]
  if (winner === undefined || weigher === undefined) return false
  const without = (position: number) => (totals[position] as number) - weigher.multiplier * (weigher.normalised[position] as number)
  const best = without(winner)
  return ranked.some((position) => without(position) > best)
}

export function selectionOf(examined: Examined): SelectionNote {
  const { question, instance, ranked, weighed, names } = examined
  const { hostSubsetSize: subsetSize, scheduler, tieOrder } = question.profile
  const selected = question.answer[instance]?.selected
  const rankOf = ranked.findIndex((position) => {
    const name = names[weighed.hosts[position] as number]
    return name !== undefined && name.host === selected?.host && name.node === selected.node
  })
  const top = weighed.totals[ranked[0] ?? -1]
  const tied = ranked.filter((position) => weighed.totals[position] === top).length
  const how =
    scheduler === 'chance'
      ? 'Any host that passes may be taken, by the seed.'
      : subsetSize > 1
        ? `One of the ${subsetSize} best is taken, by the seed.`
        : tied > 1
          ? `${tied} hosts share the best total; ${tieOrder === 'seeded' ? 'the seed' : 'the order of first sight'} decided.`
          : 'The best host is taken.'
  const text = ranked.length === 0 ? 'No host passed every filter.' : how
  return { subsetSize, seed: question.record.seed || null, pickedRank: rankOf + 1, tied, text }
}

/** The whole as a page for people. */
export async function textOf(examined: Examined, format: 'MARKDOWN' | 'PLAIN'): Promise<string> {
  const { question, hostCount, steps, ranked, instance } = examined
  const { numInstances } = question.record.request
  const title = format === 'MARKDOWN' ? (text: string) => `## ${text}` : (text: string) => text
  const code = format === 'MARKDOWN' ? (text: string) => `\`${text}\`` : (text: string) => text
  const which = numInstances > 1 ? ` for instance ${instance + 1} of ${numInstances}` : ''
  const { hosts } = await weighingOf(examined, instance, 5)
  const funnel = steps
    .filter(({ asked }) => asked)
    .map(({ filter, entered, passed, reasons: [reason] }) => {
      const why = reason === undefined ? '' : ` - ${reasonText(reason.example)}`
      return `- ${code(filter)}: ${entered} in, ${passed} out${why}`
    })
  const best = hosts.map(
    ({ rank, total, outcome, ...name }) => `${rank}. ${code(hostKey(name))} ${total}${outcome === 'LOST_ON_WEIGHT' ? '' : ` (${outcome})`}`,
  )
  return [
    title(`${ranked.length} of ${hostCount} hosts passed${which}`),
    `Profile ${question.record.profile}, revision ${question.basis}, ${question.fidelity}.`,
    '',
    ...funnel,
    ...(best.length > 0 ? ['', title('Best hosts'), ...best] : []),
    '',
    selectionOf(examined).text,
  ].join('\n')
}
