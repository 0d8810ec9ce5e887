import { graphql, type ResultOf } from '@gantt/client'
import { printHost } from '../../options/host-name.ts'
import { GANTT } from '../../output/called.ts'
import { millisecondsOf } from '../../output/duration.ts'
import { counted, decimal, mib, span, took } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { toTable, wrap } from '../../output/table.ts'
import { TRIED, toTryLines } from './attempts.ts'
import { REASON, toReasonTable } from './reasons.ts'

export const EXPLAIN = graphql(
  `query Explain($id: ID!, $instance: Int, $top: Int!, $near: Int!) {
  decision(id: $id) { id at explanationRetainedUntil outcome attempt durationMs account ...Tried solver { text status taken objective filterObjective bound gap nodes candidates passing detail } spec { flavorName vcpus memoryMb diskGb numInstances availabilityZone } }
  explanation: explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance }) {
    headline instanceIndex hostCount fidelity fleetRevision
    profile { profileName number }
    steps { index name entered passed rejected soleRejections skippedBecause reasons { ...Reason } }
    shadowSteps { name isAsked wouldReject ofThosePassing reasons { ...Reason } }
    reasons { ...Reason }
    selection { text }
    nearMisses(first: $near) { hostName node host { hasOtherNodes } outcome distance reportAge lacks checks { filter status text } }
    weighing(top: $top) {
      candidateCount
      weighers { name multiplier multiplierVaries unit decisive }
      hosts { hostName node host { hasOtherNodes } outcome rank totalWeight reportAge weights { weigher raw missing unit multiplier multiplierSource weighted } }
    }
  }
}`,
  [TRIED, REASON],
)

export const VERDICTS = graphql(`query Verdicts($id: ID!, $instance: Int, $first: Int!, $after: String) {
  explanation: explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance }) {
    verdicts(first: $first, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { hostName node host { hasOtherNodes } outcome rank totalWeight reportAge checks(shortCircuit: true) { filter status text } }
    }
  }
}`)

/** The API's answer about a decision and one instance of its request. */
export type Explained = ResultOf<typeof EXPLAIN> & { readonly decision: Decision }
type Decision = NonNullable<ResultOf<typeof EXPLAIN>['decision']>
type Explanation = Explained['explanation']
type Solver = NonNullable<Decision['solver']>

/** The verdict on one host, with the checks up to the first filter that refused the host. */
export type Verdict = ResultOf<typeof VERDICTS>['explanation']['verdicts']['nodes'][number]
/** A refused host with all of its checks, including those after the first refusal. */
type NearMiss = Explanation['nearMisses'][number]
type Step = Explanation['steps'][number]
type ShadowStep = Explanation['shadowSteps'][number]
type Weighed = Explanation['weighing']['hosts'][number]
type Weight = Weighed['weights'][number]

/** The lines about a decision, from the request to the selected hosts; then every host, if requested. */
export function toLines(
  { decision, explanation }: Explained,
  verdicts: readonly Verdict[] | undefined,
  weights: readonly string[] | undefined = undefined,
): readonly string[] {
  const { steps, reasons, weighing, nearMisses, shadowSteps = [] } = explanation
  const ran = steps.filter(({ skippedBecause }) => skippedBecause === null)
  const skipped = steps.filter(({ skippedBecause }) => skippedBecause !== null).map(({ name }) => name)
  return [
    ...toHeadline({ decision, explanation }),
    ...toSolver(decision.solver ?? null),
    ...toTryLines(decision),
    '',
    ...toFunnel(ran),
    ...(skipped.length === 0 ? [] : ['', ...wrap(`Filters that had nothing to check: ${skipped.join(', ')}.`)]),
    ...toShadows(shadowSteps),
    ...(reasons.length === 0 ? [] : ['', 'Why hosts were refused', ...toReasonTable(reasons)]),
    ...(weighing.candidateCount > 0 || nearMisses.length === 0
      ? []
      : ['', 'Refused hosts that are nearest to passing', ...toNearTable(nearMisses)]),
    ...(weighing.hosts.length === 0 ? [] : ['', ...toWeights(weighing.hosts, weighing.candidateCount)]),
    ...(weights === undefined ? [] : ['', ...weights]),
    ...(verdicts === undefined ? [] : ['', 'Host by host', ...toVerdictTable(verdicts)]),
    '',
    ...toRetention(decision),
    `For one host: ${GANTT} why-not ${shortId(decision.id)} HOST`,
  ]
}

function toRetention({ explanationRetainedUntil: until }: Explained['decision']): readonly string[] {
  if (until === undefined) return []
  return until === null
    ? wrap('The decision can no longer be replayed exactly, because the log no longer contains its state.')
    : [`The decision can be replayed exactly until ${until}.`]
}

/** The demands of a request as a short text. */
export const askedOf = ({ spec }: Explained['decision']): string =>
  [
    counted(spec.numInstances, 'instance'),
    `of ${spec.vcpus} vCPU, ${mib(spec.memoryMb)} memory, ${spec.diskGb} GiB disk`,
    ...(spec.availabilityZone === null ? [] : [`in ${spec.availabilityZone}`]),
  ].join(' ')

/** All refusals of a host, joined into one text. */
export const refusalsOf = (checks: NearMiss['checks']): string =>
  checks
    .filter(({ status }) => status === 'FAIL' || status === 'ERROR')
    .map(({ filter, status, text }) => `${filter}: ${text ?? status}`)
    .join(' ')

function toHeadline({ decision, explanation }: Explained): readonly string[] {
  const { spec } = decision
  const { profileName, number } = explanation.profile
  const { durationMs = null } = decision
  const time = durationMs === null ? '' : ` in ${took(durationMs)}`
  const which = spec.numInstances === 1 ? '' : ` This is instance ${explanation.instanceIndex}.`
  const isRefused = explanation.weighing.candidateCount === 0
  return [
    ...wrap(`${decision.outcome}: ${askedOf(decision)}, for ${decision.account} at ${decision.at}.`),
    // The reason why no host was found, in the same words as the answer to the request.
    ...(isRefused ? wrap(explanation.headline) : []),
    ...wrap(`${explanation.selection.text} Decided by ${profileName}@${number}${time}; ${explanation.fidelity.toLowerCase()}.${which}`),
  ]
}

/** The outcome of the solver, with its objective and bound. */
function toSolver(solver: Solver | null): readonly string[] {
  if (solver === null) return []
  const { text, status, taken, objective, filterObjective, bound, gap, nodes, candidates, passing, detail } = solver
  const numberOf = (value: number | null): string => (value === null ? 'none' : decimal(value))
  const looked = candidates === null ? '' : ` on ${candidates} of ${counted(passing ?? 0, 'host')} that passed`
  const failed = detail === null ? '' : ` (${detail})`
  return wrap(
    `Solver ${status}, ${taken === 'SOLVER' ? 'taken' : 'not taken: the filter scheduler decided'}. ${text}${failed} Objective ${numberOf(objective)} (filter ${numberOf(filterObjective)}), bound ${numberOf(bound)}, gap ${gap === null ? 'none' : `${decimal(gap * 100)} %`}, ${nodes} nodes${looked}.`,
  )
}

const toFunnel = (steps: readonly Step[]): readonly string[] =>
  toTable(
    [
      { head: 'filter', cut: 'end', least: 20 },
      { head: 'before', align: 'right' },
      { head: 'after', align: 'right' },
      { head: 'refused', align: 'right' },
      { head: 'only by this filter', align: 'right' },
    ],
    steps.map(({ name, entered, passed, rejected, soleRejections }) => [name, ...[entered, passed, rejected, soleRejections].map(String)]),
  )

/** The verdicts of filters in shadow mode, as one sentence for the terminal and for pages. */
export const shadowText = ({ name, isAsked, wouldReject, ofThosePassing, reasons }: ShadowStep): string => {
  if (!isAsked) return `${name}, in shadow mode, had nothing to check.`
  const [most] = reasons
  const such = most === undefined ? '' : ` The most frequent reason is ${most.code} (${counted(most.hosts, 'host')}), such as: ${most.text}`
  return `${name}, in shadow mode, refused no host; it would have refused ${counted(wouldReject, 'host')}, ${ofThosePassing} of those that passed.${such}`
}

const toShadows = (steps: readonly ShadowStep[]): readonly string[] =>
  steps.length === 0 ? [] : ['', ...steps.flatMap((step) => wrap(shadowText(step)))]

/** The column with the age of the host's report at the time of the decision. */
const REPORT = { head: 'report', align: 'right' } as const

export const reportAgeOf = (age: string | null): string => (age === null ? 'none' : span(millisecondsOf(age)))

/** The total score of each host, and what each weigher added or subtracted. */
function toWeights(hosts: readonly Weighed[], candidateCount: number): readonly string[] {
  const rows = hosts.map(({ hostName, node, host, outcome, totalWeight, reportAge, weights }) => [
    printHost(hostName, node, host?.hasOtherNodes),
    outcome,
    reportAgeOf(reportAge),
    totalWeight === null ? '-' : decimal(totalWeight),
    weights
      .flatMap((weight) => (weight.weighted === 0 && weight.multiplierSource === null && weight.missing === null ? [] : [toShare(weight)]))
      .join(', ') || '-',
  ])
  return [
    `Best hosts of ${candidateCount} that passed`,
    ...toTable(
      [
        { head: 'host', cut: 'middle', least: 12 },
        { head: 'outcome', cut: 'end', least: 8 },
        REPORT,
        { head: 'total', align: 'right' },
        { head: 'from', wraps: true, least: 28 },
      ],
      rows,
    ),
  ]
}

/**
 * What a weigher added to a host's score. A multiplier that an aggregate sets is shown with its source, and a value that the host does not
 * report with the reason.
 */
const toShare = ({ weigher, weighted, missing, multiplier, multiplierSource }: Weight): string =>
  [
    `${weigher} ${decimal(weighted)}`,
    ...(multiplierSource === null ? [] : [`(times ${multiplier}, ${multiplierSource})`]),
    ...(missing === null ? [] : [`(its value is not known: ${missing})`]),
  ].join(' ')

/** The refused hosts that are nearest to passing. Each line has one host and all reasons why filters refuse it. */
const toNearTable = (nearMisses: readonly NearMiss[]): readonly string[] =>
  toTable(
    [{ head: 'host', cut: 'middle', least: 12 }, REPORT, { head: 'why it was refused', wraps: true, least: 30 }],
    nearMisses.map(({ hostName, node, host, reportAge, lacks }) => [
      printHost(hostName, node, host?.hasOtherNodes),
      reportAgeOf(reportAge),
      lacks,
    ]),
  )

const toVerdictTable = (verdicts: readonly Verdict[]): readonly string[] =>
  toTable(
    [
      { head: 'host', cut: 'middle', least: 12 },
      { head: 'outcome', cut: 'end', least: 8 },
      REPORT,
      { head: 'why', wraps: true, least: 30 },
    ],
    verdicts.map(({ hostName, node, host, outcome, rank, totalWeight, reportAge, checks }) => {
      const refusal = checks.find(({ status }) => status === 'FAIL' || status === 'ERROR')
      const why =
        refusal === undefined
          ? `rank ${rank ?? '-'}, weight ${decimal(totalWeight ?? 0)}`
          : `${refusal.filter}: ${refusal.text ?? refusal.status}`
      return [printHost(hostName, node, host?.hasOtherNodes), outcome, reportAgeOf(reportAge), why]
    }),
  )
