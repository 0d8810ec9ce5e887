/** The two versions that are compared. */
export interface Versions {
  readonly name: string
  readonly active: number
  readonly candidate: number
}

interface Choice {
  readonly rank: number | null
}

/** The fields of a decision with different results that determine its point. */
interface Ranked {
  readonly kind: string
  /** The active version's host, ranked by the candidate. */
  readonly baselineChoice: Choice
  /** The candidate's host, ranked by the active version. */
  readonly candidateChoice: Choice
}

/** A point of the chart. It represents all decisions with the same two ranks. */
export interface RankPoint<One> {
  readonly key: string
  /** The rank of the candidate's host in the order of the active version, 1 = best. Null if it has none. */
  readonly old: number | null
  /** The rank of the active version's host in the order of the candidate. Null if it has none. */
  readonly new: number | null
  /** The decisions of the point, in their order. */
  readonly of: readonly One[]
}

/**
 * Groups decisions with different hosts by both ranks. Points are ordered from the best ranks to the worst. Points without a rank are last.
 */
export function rankPoints<One extends Ranked>(disagreements: readonly One[]): readonly RankPoint<One>[] {
  const found = new Map<string, RankPoint<One> & { readonly of: One[] }>()
  for (const one of disagreements) {
    if (one.kind !== 'ELSEWHERE') continue
    const [old, next] = [one.candidateChoice.rank, one.baselineChoice.rank]
    const key = `${old ?? 'none'} ${next ?? 'none'}`
    const point = found.get(key)
    if (point === undefined) found.set(key, { key, old, new: next, of: [one] })
    else point.of.push(one)
  }
  return [...found.values()].sort((a, b) => byRank(a.old, b.old) || byRank(a.new, b.new))
}

const byRank = (a: number | null, b: number | null): number => (a ?? Number.MAX_SAFE_INTEGER) - (b ?? Number.MAX_SAFE_INTEGER)

/** The end of an axis of ranks: the smallest power of ten, at least 10, that no rank exceeds. */
export function topRank(points: readonly Pick<RankPoint<unknown>, 'old' | 'new'>[]): number {
  const most = Math.max(1, ...points.flatMap(({ old, new: next }) => [old ?? 1, next ?? 1]))
  return 10 ** Math.max(1, Math.ceil(Math.log10(most)))
}

/** The position of a rank on a logarithmic axis, 0 to 1. The axis goes from rank 1 to rank `top`. */
export const placeOfRank = (rank: number, top: number): number => Math.log10(rank) / Math.log10(top)

/** The ticks of the axis: 1, 10, 100 and so on, up to `top`. */
export const rankTicks = (top: number): readonly number[] => Array.from({ length: Math.round(Math.log10(top)) + 1 }, (_, i) => 10 ** i)

/** Of the two versions, the one that did not make the decision, as name@number. The page of the decision replays it with this version. */
export const otherVersion = ({ name, active, candidate }: Versions, decider: number | undefined): string =>
  `${name}@${decider === candidate ? active : candidate}`
