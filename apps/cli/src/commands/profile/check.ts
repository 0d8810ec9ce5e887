import fs from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { graphql, type ResultOf } from '@gantt/client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT, type ExitCode } from '../../call/failure.ts'
import { wholeNumber } from '../../options/values.ts'
import { counted } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { heading, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { type Column, toTable, wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

interface Flags extends ConnectionFlags, Form {
  readonly against: string
  readonly profile?: string
  readonly sample: number
  readonly show: number
  readonly minCompared: number
  readonly last: number
}

const UNUSED = graphql(`query Unused($baseline: ID!, $candidate: ProfileCandidateInput!, $last: Int!) {
  unused: unusedParts(baseline: $baseline, candidate: $candidate, last: $last, deadline: "PT60S") {
    candidate found decided text parts { kind name isUnused text }
  }
}`)

const COMPARE = graphql(`query Check($baseline: ID!, $candidate: ProfileCandidateInput!, $window: Duration!, $sample: Int!, $show: Int!) {
  comparison: compareProfiles(baseline: $baseline, candidate: $candidate, window: $window, sample: $sample, deadline: "PT60S") {
    baseline { profileName number } candidateName since until total sampled leftOut { notDrawn beyondRetention outOfTime notReplayable notSolved unreadable }
    agreement elsewhere newFailures newPlacements cpuRatio p99DeltaMs zones { zone baseline candidate resources { resourceClass baseline candidate } } text
    chosenHosts { baselineHostCount candidateHostCount fullness { resourceClass baseline candidate } }
    shadowFilters { filter wouldFail wouldMove notSolved failing { decision { id } because } }
    disagreements(first: $show) { kind baselineHosts candidateHosts because decision { id } }
  }
}`)

type Unused = ResultOf<typeof UNUSED>['unused']
/** The API's comparison of a candidate version of a profile with the active version. */
type Comparison = ResultOf<typeof COMPARE>['comparison']

/** The exit code if it is unknown whether requests would newly fail. 0 means that no request would, and 1 that at least one would. */
const UNKNOWN_RESULT = EXIT.usage

/** The maximum size of the file: the service accepts no larger profile. */
const MAX_BYTES = 512 * 1_024

/** `gantt profile check`: how a profile would have changed the decisions of the last hours. */
export function addProfileCheck(profile: Command): void {
  const command = profile
    .command('check')
    .description('replay recent requests with a profile before it is created; exits with 1 if a request would fail that was placed before')
    .argument('<file>', 'file with a profile as JSON (- for standard input), or name@number of a version')
    .addOption(
      new Option('--against <window>', 'time window of the requests, such as last:24h, last:30m or last:7d')
        .argParser(lastWindow)
        .default('PT24H', 'last:24h'),
    )
    .option(
      '--profile <name>',
      'replay the requests of this profile, and compare with its active version; if not given, the name in the file, or else default',
      notEmpty,
    )
    .option('--sample <n>', 'number of requests to replay, drawn evenly from the window', wholeNumber(1, 10_000), 500)
    .option('--min-compared <n>', 'exit with 2 if fewer than this many requests could be compared', wholeNumber(1, 10_000), 1)
    .option('--show <n>', 'show at most this many requests with different results', wholeNumber(1, 500), 10)
    .option(
      '--last <n>',
      'search this many of the newest decisions of the profile for filters, weighers and settings without an effect',
      wholeNumber(1, 1_000),
      100,
    )
    .action((file: string, flags: Flags) => run(flags, () => check(file, flags)))
  withExamples(withForms(command), [
    ['gantt profile check spread.json --against last:24h', 'check a profile in CI before it is written'],
    ['gantt profile check default@3 --against last:2h --markdown', 'check an existing version, and print the result for a ticket'],
    ['gantt profile check default@0 --last 500', 'list filters and weighers that had no effect on 500 decisions'],
  ])
}

async function check(file: string, { against, profile, sample, show, minCompared, last, ...flags }: Flags): Promise<Result> {
  try {
    const candidate = /^[a-z0-9-]+@\d+$/.test(file) && !fs.existsSync(file) ? { version: file } : { draft: await readDocument(file) }
    const own = 'draft' in candidate ? candidate.draft.name : candidate.version?.split('@')[0]
    const { name: _name, number: _number, ...draft } = 'draft' in candidate ? candidate.draft : {}
    const baseline = profile ?? (typeof own === 'string' ? own : 'default')
    const asked = 'draft' in candidate ? { draft } : candidate
    const client = connect(flags)
    const { comparison } = await client.request(COMPARE, {
      baseline,
      candidate: asked,
      window: against,
      sample,
      show,
    })
    const { unused } = await client.request(UNUSED, { baseline, candidate: asked, last })
    return {
      lines: toLines(comparison, unused, minCompared),
      json: { ...comparison, unused },
      markdown: toMarkdown(comparison, unused, minCompared),
      exitCode: exitOf(comparison, minCompared),
    }
  } catch (error) {
    // The exit code differs from that of new failures, so that scripts can recognise an unavailable service.
    if (error instanceof CommandFailure) throw new CommandFailure(UNKNOWN_RESULT, error.message, { cause: error })
    throw error
  }
}

/** The exit code. New failures give 1 even if too few requests were decided by both versions. */
const exitOf = ({ sampled, newFailures }: Comparison, minCompared: number): ExitCode =>
  newFailures > 0 ? EXIT.refused : sampled < minCompared ? UNKNOWN_RESULT : EXIT.done

/** A sentence with the count of requests that both versions decided, and the conclusion. */
function endOf(comparison: Comparison, minCompared: number): string {
  const { sampled, total, newFailures } = comparison
  const compared = `${sampled} of ${counted(total, 'request')} ${sampled === 1 ? 'was' : 'were'} compared`
  if (newFailures > 0) return `${compared}: ${counted(newFailures, 'request')} would newly fail.`
  if (sampled >= minCompared) return `${compared}: none would newly fail.`
  return `${compared}; at least ${minCompared} are required (--min-compared). It is therefore unknown whether requests would newly fail.`
}

const columns: readonly Column[] = [
  { head: 'request', key: true },
  { head: 'becomes', wraps: true, least: 12 },
  { head: 'because', wraps: true, least: 20 },
]

const rowsOf = ({ disagreements }: Comparison) =>
  disagreements.map(({ decision, kind, baselineHosts, candidateHosts, because }) => [
    shortId(decision.id),
    `${kinds[kind] ?? kind}: ${hostsOf(baselineHosts)} -> ${hostsOf(candidateHosts)}`,
    because,
  ])

const kinds: Readonly<Record<string, string>> = { NEW_FAILURE: 'fails', NEW_PLACEMENT: 'is placed', ELSEWHERE: 'moves' }

const hostsOf = (hosts: readonly string[]): string =>
  hosts.length === 0 ? 'no host' : hosts.length > 2 ? `${hosts.slice(0, 2).join(', ')}, ...` : hosts.join(', ')

const zoneColumns: readonly Column[] = [
  { head: 'zone', cut: 'middle', least: 12 },
  { head: 'takes', cut: 'middle', least: 12 },
  { head: 'now', align: 'right' },
  { head: 'then', align: 'right' },
  { head: 'shift', align: 'right' },
]

/** How the use of each zone would change: first the count of instances, then the amount of each resource class. */
const zonesOf = ({ zones }: Comparison) =>
  zones.flatMap(({ zone, resources, ...instances }) =>
    [{ resourceClass: 'instances', ...instances }, ...resources].map(({ resourceClass, baseline, candidate }) => [
      ...[zone, resourceClass, String(baseline), String(candidate)],
      signed(candidate - baseline),
    ]),
  )

const signed = (shift: number): string => (shift > 0 ? `+${shift}` : String(shift))

const chosenColumns: readonly Column[] = [{ head: 'hosts taken' }, { head: 'now', align: 'right' }, { head: 'then', align: 'right' }]

/** How many different hosts each version selected, and how full those hosts were on average before each request. */
const chosenOf = ({ chosenHosts: { baselineHostCount, candidateHostCount, fullness } }: Comparison) => [
  ['different hosts', String(baselineHostCount), String(candidateHostCount)],
  ...fullness.map(({ resourceClass, baseline, candidate }) => [
    `${resourceClass} in use before`,
    percentOf(baseline),
    percentOf(candidate),
  ]),
]

const percentOf = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)} %`)

const shadowColumns: readonly Column[] = [
  { head: 'in shadow mode', key: true },
  { head: 'would fail', align: 'right' },
  { head: 'would move', align: 'right' },
  { head: 'such as', wraps: true, least: 24 },
]

const shadowsOf = ({ shadowFilters }: Comparison) =>
  shadowFilters.map(({ filter, wouldFail, wouldMove, notSolved, failing: [one] }) => [
    filter,
    String(wouldFail),
    String(wouldMove),
    one === undefined
      ? notSolved === 0
        ? '-'
        : `${notSolved} not known: no solver was used`
      : `${shortId(one.decision.id)}: ${one.because}`,
  ])

/** The comparison of decision times, if enough decisions were made. */
function costOf({ cpuRatio, p99DeltaMs }: Comparison): readonly string[] {
  if (cpuRatio === null || p99DeltaMs === null) return []
  return [
    `Deciding takes ${cpuRatio.toFixed(2)} times as long; the slowest hundredth ${Math.abs(p99DeltaMs).toFixed(2)} ms ${p99DeltaMs < 0 ? 'less' : 'more'}.`,
  ]
}

const unusedColumns: readonly Column[] = [
  { head: 'changed nothing', key: true },
  { head: 'is a' },
  { head: 'that is', wraps: true, least: 24 },
]

const unusedOf = ({ parts }: Unused) =>
  parts.filter(({ isUnused }) => isUnused).map(({ kind, name, text }) => [name, kind.toLowerCase(), text])

/** True if at least one decision was examined, and at least one filter or weigher of the profile had no effect. */
const hasUnused = (unused: Unused): boolean => unused.decided > 0 && unused.parts.some(({ isUnused }) => isUnused)

function toLines(comparison: Comparison, unused: Unused, minCompared: number): readonly string[] {
  const { disagreements } = comparison
  return [
    ...wrap(comparison.text),
    ...costOf(comparison).flatMap((line) => wrap(line)),
    ...(comparison.zones.length === 0 ? [] : ['', ...toTable(zoneColumns, zonesOf(comparison))]),
    ...(comparison.sampled === 0 ? [] : ['', ...toTable(chosenColumns, chosenOf(comparison))]),
    ...(comparison.shadowFilters.length === 0 ? [] : ['', ...toTable(shadowColumns, shadowsOf(comparison))]),
    ...(disagreements.length === 0 ? [] : ['', ...toTable(columns, rowsOf(comparison))]),
    '',
    ...wrap(unused.text),
    ...(hasUnused(unused) ? ['', ...toTable(unusedColumns, unusedOf(unused))] : []),
    '',
    ...wrap(endOf(comparison, minCompared)),
  ]
}

const toMarkdown = (comparison: Comparison, unused: Unused, minCompared: number): readonly string[] =>
  toPage(
    heading(`${comparison.candidateName}: ${counted(comparison.newFailures, 'request')} of ${comparison.sampled} would newly fail`),
    paragraph(comparison.text),
    costOf(comparison).map(paragraph),
    comparison.zones.length === 0 ? '' : toMarkdownTable(zoneColumns, zonesOf(comparison)),
    comparison.sampled === 0 ? '' : toMarkdownTable(chosenColumns, chosenOf(comparison)),
    comparison.shadowFilters.length === 0 ? '' : toMarkdownTable(shadowColumns, shadowsOf(comparison)),
    comparison.disagreements.length === 0 ? '' : toMarkdownTable(columns, rowsOf(comparison)),
    paragraph(unused.text),
    hasUnused(unused) ? toMarkdownTable(unusedColumns, unusedOf(unused)) : '',
    paragraph(endOf(comparison, minCompared)),
  )

const UNITS: Readonly<Record<string, (count: string) => string>> = {
  m: (count) => `PT${count}M`,
  h: (count) => `PT${count}H`,
  d: (count) => `P${count}D`,
}

/** Converts a window such as last:24h to a duration of the API. */
function lastWindow(given: string): string {
  const [, count, unit] = /^last:(\d{1,4})([mhd])$/.exec(given) ?? []
  const write = unit === undefined ? undefined : UNITS[unit]
  if (count === undefined || write === undefined)
    throw new InvalidArgumentError('It must be last: with minutes, hours or days, such as last:24h.')
  return write(count)
}

async function readDocument(file: string): Promise<Readonly<Record<string, unknown>>> {
  const shown = file === '-' ? 'standard input' : path.basename(file)
  const refuse = (what: string, cause?: unknown): never => {
    throw new CommandFailure(UNKNOWN_RESULT, `${shown} ${what}`, { cause })
  }
  let read = ''
  try {
    if (file !== '-' && fs.statSync(file).size > MAX_BYTES) refuse(`has more than ${MAX_BYTES} bytes; it must be a profile`)
    read = file === '-' ? await text(process.stdin) : fs.readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    refuse(`cannot be read: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  try {
    const document: unknown = JSON.parse(read)
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { ...document }
  } catch (error) {
    refuse(`is not JSON: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  return refuse('is not a JSON object with filters and weighers')
}
