import { graphql, type ResultOf } from '@gantt/client'
import { decimal } from '../../output/format.ts'
import { heading, paragraph, toMarkdownList, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { toTable, wrap } from '../../output/table.ts'

/** The fields that `gantt why-not` reads from the API. */
export const WHY_NOT_FIELDS = graphql(`fragment WhyNotParts on WhyNotAnswer { headline outcome because wouldPassNow changedSinceNote
  neverConsidered { kind text firstSeenRevision firstSeenAt fields }
  verdict { hostName node host { hasOtherNodes } outcome rank totalWeight checks { filter status reason text facts {
    subject required actual shortfall unit requiredSource { kind ref } actualSource { kind ref } terms { name value source { kind ref } } } } }
  versusWinner { weigher winnerRaw hostRaw hostMissing winnerMissing unit winner host gap wouldFlipAt }
  nowRefusedBy { filter reason text }
  changedSince { field before after source { kind ref } } }`)

/** The API's answer about a host that was not selected. */
export type Answer = ResultOf<typeof WHY_NOT_FIELDS>

type Check = Answer['verdict']['checks'][number]
type Fact = Check['facts'][number]
type Source = Fact['actualSource']
type Gap = Answer['versusWinner'][number]
type Change = Answer['changedSince'][number]

/** At most this many changes are printed; `--json` has all. */
const CHANGES = 20

/**
 * The answer for a terminal: the result in one sentence, every check with its amounts and their sources, the weights by which the host
 * lost, and whether the host would pass now.
 */
export function toLines(answer: Answer): readonly string[] {
  const { headline, neverConsidered, verdict, versusWinner, changedSince } = answer
  const asked = verdict.checks.filter(({ status }) => status !== 'NOT_ASKED')
  const notAsked = verdict.checks.filter(({ status }) => status === 'NOT_ASKED').map(({ filter }) => filter)
  const evidence = verdict.checks.flatMap(({ facts }) => facts).map(toEvidence)
  return [
    ...wrap(headline),
    ...(neverConsidered === null ? [] : wrap(neverConsidered.text)),
    '',
    ...(asked.length === 0 ? [] : [...toChecks(asked), '']),
    ...(evidence.length === 0 ? [] : ['Where the numbers come from', ...evidence.flatMap((text) => wrap(`- ${text}`)), '']),
    ...(notAsked.length === 0 ? [] : [...wrap(`Filters that had nothing to check: ${notAsked.join(', ')}.`), '']),
    ...(versusWinner.length === 0 ? [] : [...toGaps(versusWinner), ...missingValues(versusWinner).flatMap((text) => wrap(text)), '']),
    ...(changedSince.length === 0 ? [] : ['What changed since', ...toChanges(changedSince), '']),
    ...toNow(answer).flatMap((text) => wrap(text)),
  ]
}

/** The answer as a page for a ticket. */
export function toWhyNotPage(answer: Answer): readonly string[] {
  const { headline, neverConsidered, verdict, versusWinner, changedSince } = answer
  const failing = verdict.checks.filter(({ status }) => status === 'FAIL' || status === 'ERROR')
  return toPage(
    heading(headline),
    neverConsidered === null ? '' : paragraph(neverConsidered.text),
    failing.length === 0
      ? ''
      : toMarkdownTable(
          [{ head: 'Filter' }, { head: 'Why' }, { head: 'From' }],
          failing.map(({ filter, text, facts }) => [filter, text ?? '', facts.map(toEvidence).join('; ')]),
        ),
    versusWinner.length === 0
      ? ''
      : toMarkdownTable(
          ['Weigher', 'Winner', 'This host', 'Unit', 'Gap', 'Wins at'].map((head) => ({ head })),
          versusWinner.map(toGapCells),
        ),
    ...missingValues(versusWinner).map(paragraph),
    changedSince.length === 0 ? '' : heading('What changed since'),
    changedSince.length === 0
      ? ''
      : toMarkdownTable([{ head: 'Field' }, { head: 'Then' }, { head: 'Now' }, { head: 'By' }], changedSince.map(toChangeCells)),
    toMarkdownList(toNow(answer)),
  )
}

const toChecks = (checks: readonly Check[]): readonly string[] =>
  toTable(
    [{ head: 'check' }, { head: 'filter', cut: 'end', least: 20 }, { head: 'reason', wraps: true, least: 24 }],
    checks.map(({ status, filter, text }) => [status, filter, text ?? '']),
  )

const toGaps = (gaps: readonly Gap[]): readonly string[] =>
  toTable(
    [
      { head: 'weigher', cut: 'end', least: 12 },
      { head: 'winner', align: 'right' },
      { head: 'this host', align: 'right' },
      { head: 'unit', cut: 'end', least: 6 },
      { head: 'gap', align: 'right' },
      { head: 'wins at', align: 'right' },
    ],
    gaps.map(toGapCells),
  )

/** For each value that is not known, a sentence that says why. */
const missingValues = (gaps: readonly Gap[]): readonly string[] =>
  gaps.flatMap(({ weigher, hostMissing, winnerMissing }) => [
    ...(winnerMissing === null ? [] : [`${weigher} has no value for the winner. ${winnerMissing}`]),
    ...(hostMissing === null ? [] : [`${weigher} has no value for this host. ${hostMissing}`]),
  ])

const toGapCells = ({ weigher, winnerRaw, hostRaw, hostMissing, winnerMissing, unit, gap, wouldFlipAt }: Gap): readonly string[] => [
  weigher,
  winnerMissing === null ? decimal(winnerRaw) : 'not known',
  hostMissing === null ? decimal(hostRaw) : 'not known',
  unit,
  decimal(gap),
  wouldFlipAt === null ? 'none' : String(Number(wouldFlipAt.toPrecision(6))),
]

function toChanges(changes: readonly Change[]): readonly string[] {
  const more = changes.length - CHANGES
  return [
    ...toTable(
      [
        { head: 'field', wraps: true, least: 16 },
        { head: 'then', wraps: true, least: 8 },
        { head: 'now', wraps: true, least: 8 },
        { head: 'by', wraps: true, least: 16 },
      ],
      changes.slice(0, CHANGES).map(toChangeCells),
    ),
    ...(more > 0 ? [`and ${more} more: --json has all.`] : []),
  ]
}

const toChangeCells = ({ field, before, after, source }: Change): readonly string[] => [
  field,
  before ?? '-',
  after ?? '-',
  [source.kind, source.ref].filter((word) => word !== '').join(' '),
]

/**
 * A sentence about one fact of a refusal: where the required amount and the host's amount come from, and how the host's amount was
 * computed.
 */
function toEvidence({ subject, required, actual, requiredSource, actualSource, terms }: Fact): string {
  const from = ({ kind, ref }: Source) => [kind, ref].filter((word) => word !== '').join(' ')
  const needed = `${required ?? 'the requirement'} from ${from(requiredSource)}`
  const there = `${actual ?? 'the value of the host'} from ${from(actualSource)}`
  const sum = terms.map(({ name, value }) => `${name} ${decimal(value)}`).join(', ')
  const others = terms
    .filter(({ source, value }) => source.kind !== actualSource.kind && value !== 0)
    .map(({ name, source }) => `${name}: ${from(source)}`)
  return [`${subject}: ${needed}; ${there}`, ...(sum === '' ? [] : [sum]), ...others].join('; ')
}

function toNow({ wouldPassNow, nowRefusedBy, changedSinceNote }: Answer): readonly string[] {
  const now = NOW[String(wouldPassNow)] ?? ''
  const why = nowRefusedBy.map(({ filter, text }) => `${filter}: ${text ?? 'refuses it.'}`).join(' ')
  return [why === '' ? now : `${now} ${why}`, ...(changedSinceNote === null ? [] : [changedSinceNote])]
}

const NOW: Readonly<Record<string, string>> = {
  true: 'Now it would pass every filter.',
  false: 'Now it would be refused too.',
  null: 'The host is no longer in the fleet.',
}
