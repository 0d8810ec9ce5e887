import { graphql, type ResultOf } from '@gantt/client'
import { decimal } from '../../output/format.ts'
import { paragraph, toMarkdownTable } from '../../output/markdown.ts'
import { toTable, wrap } from '../../output/table.ts'

/** The fields of an explanation that `--weights` reads. */
export const WEIGHTS = graphql(`fragment Weights on Weighing { margin note candidateCount
  weighers { name multiplier decisive idle winnerWithout flipsBelow winnerBelow flipsAbove winnerAbove } }`)

/** The effect of the multipliers of the profile, as the API returns it. */
export type Weights = ResultOf<typeof WEIGHTS>

type WeigherWeights = Weights['weighers'][number]

/** For each weigher: what the weigher decides, and how far its multiplier can change before another host ranks first. */
export const toWeightLines = (weights: Weights): readonly string[] => [
  'What the multipliers decide',
  ...wrap(toSummary(weights)),
  ...(weights.weighers.length === 0
    ? []
    : toTable(
        [
          { head: 'weigher', cut: 'end', least: 14 },
          { head: 'times', align: 'right' },
          { head: 'decides', wraps: true, least: 8 },
          { head: 'down to', wraps: true, least: 10 },
          { head: 'up to', wraps: true, least: 10 },
        ],
        weights.weighers.map(toCells),
      )),
]

/** The content of `toWeightLines` as blocks of a page for a ticket. */
export const toWeightBlocks = (weights: Weights): readonly (readonly string[])[] => [
  [paragraph(toSummary(weights))],
  toMarkdownTable(
    [{ head: 'Weigher' }, { head: 'Times', align: 'right' }, { head: 'Decides' }, { head: 'Down to' }, { head: 'Up to' }],
    weights.weighers.map(toCells),
  ),
]

function toSummary({ margin, note, candidateCount }: Weights): string {
  const ahead =
    margin === null
      ? candidateCount === 0
        ? 'No host passed.'
        : candidateCount === 1
          ? 'There is no second host to compare with.'
          : null
      : margin === 0
        ? 'The two best hosts have the same total.'
        : `The best is ${precise(margin)} ahead of the second.`
  return [ahead, note].filter((text) => text !== null).join(' ')
}

const toCells = (weigher: WeigherWeights): readonly string[] => [
  weigher.name,
  decimal(weigher.multiplier),
  weigher.decisive ? `else ${weigher.winnerWithout}` : weigher.idle ? 'nothing' : 'ranks below',
  toLimit(weigher.flipsBelow, weigher.winnerBelow),
  toLimit(weigher.flipsAbove, weigher.winnerAbove),
]

const toLimit = (multiplier: number | null, winner: string | null): string =>
  multiplier === null ? 'any' : `${precise(multiplier)}, then ${winner}`

/** Rounds to six digits, because multipliers may be large or tiny. `--json` has all digits. */
const precise = (value: number): string => String(Number(value.toPrecision(6)))
