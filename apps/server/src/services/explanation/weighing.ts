import { type Flip, hostKey, isOwnScheduler, openWeightLab, type Profile, type WeightLab } from '@gantt/scheduler-core'
import { InputFault } from '../calls/outcome.ts'
import { MAX_PAGE } from '../calls/paging.ts'
import { type Examined, type ExaminedHost, examineInstance, type HostVerdict } from './examined.ts'

/** How the passing hosts were ranked, and the effect of the multipliers. */
export interface Weighing {
  readonly weighers: readonly WeigherMeta[]
  readonly hosts: readonly HostVerdict[]
  readonly truncatedAt: number
  readonly candidateCount: number
  /** The difference between the totals of the first and the second host; null if fewer than two hosts passed or no weigher ran. */
  readonly margin: number | null
  /** Why the ranking by weights alone does not determine which host is selected; null if it does. */
  readonly note: string | null
}

/**
 * The scores of one weigher on all hosts that passed. `without` and `flips` compute the effects of a changed multiplier only when they are
 * called.
 */
export interface WeigherMeta {
  readonly name: string
  readonly unit: string
  /** The multiplier of hosts for which no aggregate sets a multiplier. */
  readonly multiplier: number
  /** True if an aggregate sets the multiplier for at least one host. */
  readonly multiplierVaries: boolean
  readonly min: number
  readonly max: number
  readonly spread: number
  /**
   * The host that would rank first without the weigher. `isDecisive` is true if a different host would rank first. `isIdle` is true if the
   * first ten hosts would be the same, in the same order.
   */
  without(): { readonly winner: string | null; readonly isDecisive: boolean; readonly isIdle: boolean }
  /** The nearest lower and the nearest higher multiplier with which a different host would rank first. */
  flips(): { readonly below: HostFlip | null; readonly above: HostFlip | null }
}

export interface HostFlip {
  readonly multiplier: number
  readonly winner: string
}

export async function weighingOf(examined: Examined, instance: number, top: number): Promise<Weighing> {
  const { numInstances } = examined.question.record.request
  if (top < 1 || top > MAX_PAGE) throw InputFault.at(['weighing', 'top'], top, `1 to ${MAX_PAGE}`)
  if (instance < 0 || instance >= numInstances) throw InputFault.at(['weighing', 'instanceIndex'], instance, `0 to ${numInstances - 1}`)
  const own = instance === examined.instance ? examined : await examineInstance(examined.question, instance)
  const { weighed, ranked } = own
  const hosts = ranked.slice(0, top).map((position) => own.verdict(weighed.hosts[position] as number))
  const lab = openWeightLab(own)
  return {
    weighers: weighed.weighers.map((_, w) => metaOf(own, lab, w)),
    hosts,
    truncatedAt: hosts.length,
    candidateCount: ranked.length,
    margin: lab?.margin ?? null,
    note: noteOf(own),
  }
}

function metaOf(own: Examined, lab: WeightLab | undefined, w: number): WeigherMeta {
  const { name, unit, multiplier, min, max } = own.weighed.weighers[w] as Examined['weighed']['weighers'][number]
  const flipped = (flip: Flip | undefined) => (flip === undefined ? null : { ...flip, winner: nameAt(own, flip.winner) })
  return {
    name,
    unit,
    multiplier,
    multiplierVaries: (own.multiplierSources[w]?.size ?? 0) > 0,
    min,
    max,
    spread: max - min,
    without: once(() => {
      const left = lab?.without(w)
      if (lab === undefined || left === undefined) return { winner: null, isDecisive: false, isIdle: true }
      return { winner: nameAt(own, left.winner), isDecisive: left.winner !== lab.winner, isIdle: left.isSame }
    }),
    flips: once(() => {
      const flips = lab?.flips(w)
      return { below: flipped(flips?.below), above: flipped(flips?.above) }
    }),
  }
}

const nameAt = ({ hosts, weighed }: Examined, position: number): string => hostKey(hosts[weighed.hosts[position] as number] as ExaminedHost)

/**
 * What decided among the passing hosts: a solver's arrangement of all instances, one host for all members of a group, a plug-in, the seed
 * among all or among the best hosts, or the ranking by weights.
 */
export type Deciding = 'SOLVER' | 'TOGETHER' | 'PLUGIN' | 'ANY' | 'AMONG_BEST' | 'RANKING'

export function decidingOf(examined: Examined): Deciding {
  const { profile, record } = examined.question
  if (record.solver?.taken === 'SOLVER') return 'SOLVER'
  if (profile.scheduler === 'chance') return 'ANY'
  if (!isOwnScheduler(profile.scheduler)) return 'PLUGIN'
  if (profile.hostSubsetSize > 1) return 'AMONG_BEST'
  return isPlacedTogether(examined) ? 'TOGETHER' : 'RANKING'
}

/** What decides among hosts with the same total, as text. */
export const tieBreakerOf = ({ tieOrder, nova }: Pick<Profile, 'tieOrder' | 'nova'>): string =>
  tieOrder === 'seeded' || nova?.shuffleBest === true ? 'the seed' : 'the order in which hosts first reported'

/** True if the host with rank 1 was not selected because the server group places all instances of the request on one host. */
function isPlacedTogether({ question: { record, answer }, instance, ranked, weighed, hosts }: Examined): boolean {
  const { numInstances, instanceGroup } = record.request
  const selected = answer[instance]?.selected
  const first = hosts[weighed.hosts[ranked[0] ?? -1] ?? -1]
  if (numInstances < 2 || instanceGroup?.policy !== 'AFFINITY' || selected === undefined || first === undefined) return false
  return first.host !== selected.host || first.node !== selected.node
}

function noteOf(examined: Examined): string | null {
  const { question, weighed, ranked } = examined
  const { scheduler, hostSubsetSize, compat, nova } = question.profile
  const deciding = decidingOf(examined)
  if (deciding === 'SOLVER') return 'The solver maximises the sum over all instances: for one of them another host may rank first.'
  if (deciding === 'TOGETHER')
    return 'All instances of the request go to one host that fits them: for a single instance another host may rank first.'
  if (deciding === 'ANY') return 'The seed selects one of the hosts that pass; weighers have no effect.'
  if (deciding === 'PLUGIN') return `The scheduler ${scheduler} of a plug-in selects a host by its own rules: another host may rank first.`
  if (ranked.length > 0 && weighed.weighers.length === 0)
    return ranked.length > 1
      ? `No weigher ran, so all hosts have the same total: ${hostSubsetSize > 1 ? 'the seed' : tieBreakerOf(question.profile)} decides.`
      : compat === 'nova'
        ? 'Only one host passed. Nova weighs only if at least two hosts passed, so no weigher ran.'
        : 'The profile has no weigher.'
  if (deciding === 'AMONG_BEST')
    return `The seed selects one of the ${hostSubsetSize} best hosts: margin and limits refer to the host that ranks first.`
  return nova?.shuffleBest === true
    ? 'The seed shuffles the hosts with the best total: the limits use the order in which hosts first reported.'
    : null
}

function once<Value>(make: () => Value): () => Value {
  let known: { readonly value: Value } | undefined
  return () => {
    known ??= { value: make() }
    return known.value
  }
}
