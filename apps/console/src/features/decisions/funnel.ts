import { formatCount } from '../../lib/format.ts'

/** How hosts become lengths. */
export type Scale = 'linear' | 'log'

/** How long a bar is, 0 to 1: of the hosts that there are. Log shows what is left of thousands; 0 hosts are 0 either way. */
export function barShare(hosts: number, all: number, scale: Scale): number {
  if (hosts <= 0 || all <= 0) return 0
  return scale === 'linear' ? hosts / all : Math.log1p(hosts) / Math.log1p(all)
}

/** Log where few of many may be left: 13 of 10,000 cannot be seen otherwise. */
export const scaleFor = (hostCount: number): Scale => (hostCount > 50 ? 'log' : 'linear')

/** The funnel as the record has it: numbers only; why hosts were refused has to be worked out again. */
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

/** Part of a bar, from 0 to 1, and the hosts that it stands for. */
export interface BarPart {
  readonly code: string
  readonly hosts: number
  readonly from: number
  readonly to: number
}

/** The bar of one filter: who is left from zero on, behind them who was refused, one part for each reason by its hosts. */
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

/** Hosts left, step by step: all, then after every step that refused somebody. */
export const countsOf = (hostCount: number, steps: readonly { readonly entered: number; readonly passed: number }[]): number[] => [
  hostCount,
  ...steps.filter(({ entered, passed }) => passed < entered).map(({ passed }) => passed),
]

/** The funnel as a line of text: `200 > 120 > 0`. Steps that refused nobody are left out. */
export const funnelText = (hostCount: number, steps: readonly { readonly entered: number; readonly passed: number }[]): string =>
  countsOf(hostCount, steps).map(formatCount).join(' > ')

/** The first and the last of the counts, which is what a narrow column has room for: `10,000 > … > 12`. */
export function endsText(counts: readonly number[]): string {
  const ends = counts.length > 2 ? [counts[0], '…', counts.at(-1)] : counts
  return ends.map((one) => (typeof one === 'number' ? formatCount(one) : one)).join(' > ')
}
