/** The part of a host's bar for one weigher: where it begins and ends on the axis, in units of weight. */
export interface Segment {
  readonly weigher: string
  readonly from: number
  readonly to: number
  readonly weighted: number
}

/**
 * The layout of a host's contributions in the order of the profile: positive contributions to the right of zero, negative contributions to
 * the left. The total is the sum of all contributions. A plain stack would not show the total correctly if multipliers are negative.
 */
export function stack(weights: readonly { readonly weigher: string; readonly weighted: number }[]): Segment[] {
  let right = 0
  let left = 0
  return weights.map(({ weigher, weighted }) => {
    if (weighted >= 0) {
      const from = right
      right += weighted
      return { weigher, from, to: right, weighted }
    }
    const to = left
    left += weighted
    return { weigher, from: left, to, weighted }
  })
}

interface Weights {
  readonly weigher: string
  readonly weighted: number
  readonly missing: string | null
}

/**
 * Removes the weighers that give every host 0, and returns their names as `zeroWeighers`. A column of zeros has no information, and the
 * totals do not change without such a column. A weigher stays if the value of a host is missing, because that 0 is not a value.
 */
export function withoutZeroWeighers<
  Weigher extends { readonly name: string },
  Weight extends Weights,
  Host extends { readonly weights: readonly Weight[] },
>({ hosts, weighers }: { readonly hosts: readonly Host[]; readonly weighers: readonly Weigher[] }) {
  const withEffect = new Set(
    hosts.flatMap(({ weights }) =>
      weights.flatMap(({ weigher, weighted, missing }) => (weighted === 0 && missing === null ? [] : weigher)),
    ),
  )
  return {
    weighers: weighers.filter(({ name }) => withEffect.has(name)),
    zeroWeighers: weighers.flatMap(({ name }) => (withEffect.has(name) ? [] : name)),
    hosts: hosts.map((host) => ({ ...host, weights: host.weights.filter(({ weigher }) => withEffect.has(weigher)) })),
  }
}

/** The multipliers that differ from the profile's, each with its host and its source. */
export const ownMultipliers = (
  hosts: readonly {
    readonly hostName: string
    readonly weights: readonly { readonly weigher: string; readonly multiplier: number; readonly multiplierSource: string | null }[]
  }[],
): string[] =>
  hosts.flatMap(({ hostName, weights }) =>
    weights.flatMap(({ weigher, multiplier, multiplierSource }) =>
      multiplierSource === null ? [] : `${hostName}: ${weigher} × ${multiplier} (${multiplierSource})`,
    ),
  )

/** The ends of the axis for all stacks. The axis contains zero and is never empty. */
export function extentOf(stacks: readonly (readonly Segment[])[]): readonly [number, number] {
  const low = Math.min(0, ...stacks.flatMap((segments) => segments.map(({ from }) => from)))
  const high = Math.max(0, ...stacks.flatMap((segments) => segments.map(({ to }) => to)))
  return low === high ? [0, 1] : [low, high]
}

/** The differences between two hosts, for each weigher of the first host. A difference is negative if the first host has less. */
export const gapsBetween = (
  one: readonly { readonly weigher: string; readonly weighted: number }[],
  other: readonly { readonly weigher: string; readonly weighted: number }[],
): { readonly weigher: string; readonly gap: number }[] =>
  one.map(({ weigher, weighted }) => ({ weigher, gap: weighted - (other.find((same) => same.weigher === weigher)?.weighted ?? 0) }))
