import { GANTT } from './called.ts'
import { counted, decimal, mib, span, took } from './format.ts'
import { printHost } from './host-name.ts'
import { shortId } from './ids.ts'
import { type Reason, toReasonTable } from './reasons.ts'
import { toTable, wrap } from './table.ts'
import { type Tried, toTryLines } from './try-lines.ts'
import { millisecondsOf } from './words.ts'

/** What the API says of a decision and of one instance of its request. */
export interface Explained {
  readonly decision: Tried & {
    readonly id: string
    readonly at: string
    readonly outcome: string
    readonly account: string
    /** Null: not measured. */
    readonly durationMs?: number | null
    /** Null: it is beyond what the log holds. */
    readonly explanationRetainedUntil?: string | null
    /** Null: no solver was to be asked. */
    readonly solver?: SolverTold | null
    readonly spec: {
      readonly vcpus: number
      readonly memoryMb: number
      readonly diskGb: number
      readonly numInstances: number
      readonly availabilityZone: string | null
    }
  }
  readonly explanation: {
    readonly headline: string
    readonly instanceIndex: number
    readonly hostCount: number
    readonly fidelity: string
    readonly fleetRevision: string
    readonly profile: { readonly profileName: string; readonly number: number }
    readonly steps: readonly Step[]
    /** Filters that refuse nobody, and whom they would have refused. */
    readonly shadowSteps?: readonly ShadowStep[]
    readonly reasons: readonly Reason[]
    readonly selection: { readonly text: string }
    /** Refused hosts, nearest to passing first. */
    readonly nearMisses: readonly NearMiss[]
    readonly weighing: {
      readonly candidateCount: number
      readonly weighers: readonly { readonly name: string; readonly unit: string; readonly multiplier: number }[]
      readonly hosts: readonly Weighed[]
    }
  }
}

interface SolverTold {
  readonly text: string
  readonly status: string
  readonly taken: string
  readonly objective: number | null
  readonly filterObjective: number | null
  readonly bound: number | null
  readonly gap: number | null
  readonly nodes: number
  readonly candidates: number | null
  readonly passing: number | null
  readonly detail: string | null
}

/** What became of one host, and the first filter that refused it. */
export interface Verdict {
  readonly hostName: string
  readonly host?: { readonly hasOtherNodes: boolean } | null
  readonly node: string
  readonly outcome: string
  readonly rank: number | null
  readonly totalWeight: number | null
  readonly reportAge: string | null
  readonly checks: readonly { readonly filter: string; readonly status: string; readonly text: string | null }[]
}

/** A refused host with every check, also those behind the first refusal. */
interface NearMiss {
  readonly hostName: string
  readonly host?: { readonly hasOtherNodes: boolean } | null
  readonly node: string
  readonly reportAge: string | null
  readonly lacks: string
  readonly checks: readonly { readonly filter: string; readonly status: string; readonly text: string | null }[]
}

interface Step {
  readonly name: string
  readonly entered: number
  readonly passed: number
  readonly rejected: number
  readonly soleRejections: number
  readonly skippedBecause: string | null
  readonly reasons: readonly Reason[]
}

interface ShadowStep {
  readonly name: string
  readonly isAsked: boolean
  readonly wouldReject: number
  readonly ofThosePassing: number
  readonly reasons: readonly Reason[]
}

interface Weighed {
  readonly hostName: string
  readonly host?: { readonly hasOtherNodes: boolean } | null
  readonly node: string
  readonly outcome: string
  readonly reportAge: string | null
  readonly totalWeight: number | null
  readonly weights: readonly Weight[]
}

interface Weight {
  readonly weigher: string
  readonly weighted: number
  readonly multiplier: number
  /** Who gave the host a multiplier of its own. */
  readonly multiplierSource: string | null
}

/** The story of a decision, from the request to the hosts that were taken; then host by host, if asked. */
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
    ...(skipped.length === 0 ? [] : ['', ...wrap(`Had nothing to check: ${skipped.join(', ')}.`)]),
    ...toShadows(shadowSteps),
    ...(reasons.length === 0 ? [] : ['', 'Why hosts were refused', ...toReasonTable(reasons)]),
    ...(weighing.candidateCount > 0 || nearMisses.length === 0 ? [] : ['', 'Nearest of the refused', ...toNearTable(nearMisses)]),
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
  return until === null ? ['The log does not reach back to it any more.'] : [`It can be made again exactly until ${until}.`]
}

/** What a request asks, in short. */
export const askedOf = ({ spec }: Explained['decision']): string =>
  [
    counted(spec.numInstances, 'instance'),
    `of ${spec.vcpus} vCPU, ${mib(spec.memoryMb)} memory, ${spec.diskGb} GiB disk`,
    ...(spec.availabilityZone === null ? [] : [`in ${spec.availabilityZone}`]),
  ].join(' ')

/** What keeps a host out, by every filter. */
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
  const which = spec.numInstances === 1 ? '' : ` Told of instance ${explanation.instanceIndex}.`
  const isRefused = explanation.weighing.candidateCount === 0
  return [
    ...wrap(`${decision.outcome}: ${askedOf(decision)}, for ${decision.account} at ${decision.at}.`),
    // why none was found, as the answer to the request said it
    ...(isRefused ? wrap(explanation.headline) : []),
    ...wrap(`${explanation.selection.text} Decided by ${profileName}@${number}${time}; ${explanation.fidelity.toLowerCase()}.${which}`),
  ]
}

/** How the solver fared, with its numbers. */
function toSolver(solver: SolverTold | null): readonly string[] {
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
      { head: 'alone', align: 'right' },
    ],
    steps.map(({ name, entered, passed, rejected, soleRejections }) => [name, ...[entered, passed, rejected, soleRejections].map(String)]),
  )

/** What filters in shadow mode would have done: for lines and for pages. */
export const shadowText = ({ name, isAsked, wouldReject, ofThosePassing, reasons }: ShadowStep): string => {
  if (!isAsked) return `${name}, in shadow mode, had nothing to check.`
  const [most] = reasons
  const such = most === undefined ? '' : ` Most: ${most.hosts} × ${most.code}, such as: ${most.text}`
  return `${name}, in shadow mode, refused nobody; it would have refused ${counted(wouldReject, 'host')}, ${ofThosePassing} of those that passed.${such}`
}

const toShadows = (steps: readonly ShadowStep[]): readonly string[] =>
  steps.length === 0 ? [] : ['', ...steps.flatMap((step) => wrap(shadowText(step)))]

/** How old the report of the host was when it was decided. */
const REPORT = { head: 'report', align: 'right' } as const

export const reportAgeOf = (age: string | null): string => (age === null ? 'none' : span(millisecondsOf(age)))

/** Total of each host, and what each weigher gave it or took from it. */
function toWeights(hosts: readonly Weighed[], candidateCount: number): readonly string[] {
  const rows = hosts.map(({ hostName, node, host, outcome, totalWeight, reportAge, weights }) => [
    printHost(hostName, node, host?.hasOtherNodes),
    outcome,
    reportAgeOf(reportAge),
    totalWeight === null ? '-' : decimal(totalWeight),
    weights.flatMap((weight) => (weight.weighted === 0 && weight.multiplierSource === null ? [] : [toShare(weight)])).join(', ') || '-',
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

/** What a weigher gave a host; a multiplier of its own is told with who gave it. */
const toShare = ({ weigher, weighted, multiplier, multiplierSource }: Weight): string =>
  `${weigher} ${decimal(weighted)}${multiplierSource === null ? '' : ` (times ${multiplier}, ${multiplierSource})`}`

/** Everything that keeps a host out: one line of it is what to change. */
const toNearTable = (nearMisses: readonly NearMiss[]): readonly string[] =>
  toTable(
    [{ head: 'host', cut: 'middle', least: 12 }, REPORT, { head: 'what keeps it out', wraps: true, least: 30 }],
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
