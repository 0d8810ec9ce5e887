import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { REFUSAL, toRefusal } from '../../call/failure.ts'
import { wholeNumber } from '../../options/values.ts'
import { inWords } from '../../output/duration.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'

interface Flags extends ConnectionFlags {
  readonly cap?: number
  readonly afterlifeMinutes?: number
  readonly dryRun?: true
  readonly json?: true
}

const LIMITS = graphql(`fragment LimitsParts on KeyLimits { cap afterlife version endedKeys keptKeys }`)

type Limits = ResultOf<typeof LIMITS>
const READ = graphql(`query KeyLimits { keyLimits { ...LimitsParts } }`, [LIMITS])
const UPDATE = graphql(
  `mutation UpdateKeyLimits($ifVersion: Int!, $cap: Int!, $afterlife: Duration!, $dryRun: Boolean!) {
  keyLimitsUpdate(ifVersion: $ifVersion, cap: $cap, afterlife: $afterlife, dryRun: $dryRun) {
    __typename ... on KeyLimitsPayload { dryRun keyLimits { ...LimitsParts } } ...Refusal } }`,
  [LIMITS, REFUSAL],
)

/** `gantt key-limits`: how many idempotency keys are stored after their claims have ended, and for how long. */
export function addKeyLimits(program: Command): void {
  const command = program
    .command('key-limits')
    .description('show or set how many idempotency keys are kept after their claims have ended, and for how long')
    .option('--cap <n>', 'keep at most this many keys whose claims have ended: 1000 to 100000000', wholeNumber(1_000, 100_000_000))
    .option('--afterlife-minutes <n>', 'keep a key for this many minutes after its last claim has ended: 1 to 1440', wholeNumber(1, 1_440))
    .option('--dry-run', 'change nothing; show the resulting limits')
    .action((flags: Flags) => run(flags, () => keyLimits(flags)))
  withExamples(withService(command), [
    ['gantt key-limits', 'show the limits, and how many keys there are'],
    ['gantt key-limits --cap 40000000', 'for more placements an hour; keys need memory (docs/performance.md)'],
    ['gantt key-limits --afterlife-minutes 30', 'for callers that repeat a call within half an hour'],
  ])
}

async function keyLimits(flags: Flags): Promise<Result> {
  const client = connect(flags)
  const { keyLimits: now } = await client.request(READ)
  const { cap, afterlifeMinutes, dryRun = false } = flags
  if (cap === undefined && afterlifeMinutes === undefined) return { lines: toLines(now), json: now }
  const afterlife = afterlifeMinutes === undefined ? now.afterlife : `PT${afterlifeMinutes}M`
  const { keyLimitsUpdate: answer } = await client.request(UPDATE, {
    ...{ ifVersion: now.version, cap: cap ?? now.cap, afterlife, dryRun },
  })
  if (!('keyLimits' in answer)) throw toRefusal(answer)
  return { lines: [...(dryRun ? ['Nothing was changed. It would be:'] : []), ...toLines(answer.keyLimits)], json: answer.keyLimits }
}

const toLines = ({ cap, afterlife, version, endedKeys, keptKeys }: Limits): string[] => [
  `cap        ${cap} ended keys`,
  `kept now   ${endedKeys} ended keys; ${keptKeys - endedKeys} of live claims, which do not count`,
  `afterlife  ${inWords(afterlife)} after the last claim of the key has ended`,
  `version    ${version}`,
]
