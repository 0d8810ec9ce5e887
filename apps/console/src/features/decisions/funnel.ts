import { formatCount } from '../../lib/format.ts'

/** The scale that converts a count of hosts to a length. */
export type Scale = 'linear' | 'log'

/**
 * The length of a bar, 0 to 1, as a share of all hosts. With a logarithmic scale, a few hosts among thousands are visible. The length for 0
 * hosts is 0 on both scales.
 */
export function barShare(hosts: number, all: number, scale: Scale): number {
  if (hosts <= 0 || all <= 0) return 0
  return scale === 'linear' ? hosts / all : Math.log1p(hosts) / Math.log1p(all)
}

/** Logarithmic for many hosts: 13 of 10,000 would otherwise be invisible. */
export const scaleFor = (hostCount: number): Scale => (hostCount > 50 ? 'log' : 'linear')

/** The funnel from the record. The record has only counts, so there are no reasons until the decision is replayed. */
export const recordedSteps = (funnel: readonly { readonly filter: string; readonly entered: number; readonly passed: number }[]) =>
  funnel.map(({ filter, entered, passed }) => ({
    name: filter,
    entered,
    passed,
    rejected: entered - passed,
    soleRejections: 0,
    skippedBecause: null,
    isNet: false,
    reasons: [],
  }))

/** A part of a bar, from 0 to 1, and the hosts that it represents. */
export interface BarPart {
  readonly code: string
  readonly hosts: number
  readonly from: number
  readonly to: number
}

/** The bar of one filter: first the remaining hosts, then the refused hosts, with one part for each reason. */
export function barOf(
  {
    entered,
    passed,
    reasons,
  }: { readonly entered: number; readonly passed: number; readonly reasons: readonly Pick<BarPart, 'code' | 'hosts'>[] },
  all: number,
  scale: Scale,
): { readonly left: number; readonly refused: readonly BarPart[] } {
  const left = barShare(passed, all, scale)
  const width = barShare(entered, all, scale) - left
  const parts = reasons.length > 0 ? reasons : entered > passed ? [{ code: '', hosts: entered - passed }] : []
  const sum = parts.reduce((total, { hosts }) => total + hosts, 0)
  let before = 0
  const refused = parts.map(({ code, hosts }) => {
    const from = left + (width * before) / sum
    before += hosts
    return { code, hosts, from, to: left + (width * before) / sum }
  })
  return { left, refused }
}

/** The counts of remaining hosts: first all hosts, then the hosts that remain after each step that refused a host. */
export const countsOf = (hostCount: number, steps: readonly { readonly entered: number; readonly passed: number }[]): number[] => [
  hostCount,
  ...steps.filter(({ entered, passed }) => passed < entered).map(({ passed }) => passed),
]

/** The funnel as a line of text: `200 > 120 > 0`. Steps without refusals are omitted. */
export const funnelText = (hostCount: number, steps: readonly { readonly entered: number; readonly passed: number }[]): string =>
  countsOf(hostCount, steps).map(formatCount).join(' > ')

/** The first and the last of the counts, for a narrow column: `10,000 > … > 12`. */
export function endsText(counts: readonly number[]): string {
  const ends = counts.length > 2 ? [counts[0], '…', counts.at(-1)] : counts
  return ends.map((one) => (typeof one === 'number' ? formatCount(one) : one)).join(' > ')
}
