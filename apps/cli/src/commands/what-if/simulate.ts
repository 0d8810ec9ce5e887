import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { printHost } from '../../options/host-name.ts'
import { wholeNumber } from '../../options/values.ts'
import { counted } from '../../output/format.ts'
import { heading, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { toReasonTable } from '../decision/reasons.ts'
import { toLinesOfIgnored } from '../placement/select-lines.ts'
import { SIMULATE, type Simulation } from './documents.ts'
import { drainLines, drainTexts } from './drain.ts'
import { type HypothesisFlags, readAsked, readHypothesis, withHypothesis } from './hypothesis.ts'

interface Flags extends ConnectionFlags, HypothesisFlags, Form {
  readonly count: number
}

/** The table has at most this many hosts; `--json` has all. */
const MAX_HOSTS = 10

/** `gantt simulate`: places requests on a copy of the fleet. */
export function addSimulation(program: Command): void {
  const command = withHypothesis(
    program
      .command('simulate')
      .description(
        'place a request once or several times on a copy of the fleet, with or without fleet changes; exits with 1 if a request or an instance of a drained host finds no host',
      )
      .option(
        '--count <n>',
        'number of copies of the request; each is decided on the free resources that the earlier copies left',
        wholeNumber(1, 10_000),
        1,
      ),
  ).action((flags: Flags) => run(flags, () => simulate(flags)))
  withExamples(withForms(command), [
    ['gantt simulate --vcpus 8 --memory-mb 32768 --count 50', 'check whether fifty instances fit'],
    ['gantt simulate --spec request.json --count 50 --drain rack1-a --drain rack1-b', 'check whether they fit without the hosts of a rack'],
    ['gantt simulate --decision DECISION --add 20xrack1-a', 'check whether a request fits with twenty more hosts'],
  ])
}

async function simulate(flags: Flags): Promise<Result> {
  const input = { requests: [{ ...(await readAsked(flags)), count: flags.count }], ...readHypothesis(flags) }
  const { simulate: found } = await connect(flags).request(SIMULATE, { input })
  return {
    lines: toLines(found),
    markdown: toMarkdown(found),
    json: { input, ...found },
    exitCode: found.failed + found.notDecided + (found.drain?.stuck ?? 0) === 0 ? EXIT.done : EXIT.refused,
  }
}

function headlineOf({ placed, failed, notDecided, asOf }: Simulation): string {
  const late = notDecided === 0 ? '' : ` ${notDecided} more could not be decided within the time limit.`
  return `${placed} of ${counted(placed + failed, 'instance')} would be placed, at revision ${asOf}.${late} Nothing was claimed.`
}

/** A sentence about which decisions use the solver and which the filter scheduler, if the profile has a solver. */
function solvedText({ solved }: Simulation): readonly string[] {
  if (solved.length === 0) return []
  const all = solved.reduce((sum, { decisions }) => sum + decisions, 0)
  const parts = solved.map(({ taken, why, decisions }) =>
    taken === 'SOLVER' ? `${decisions} by the solver` : `${decisions} by the filter scheduler (${why})`,
  )
  return [`${counted(all, 'decision')} by the scheduler SOLVER: ${parts.join(', ')}.`]
}

/** The count of instances on each host, largest first. */
function hostsOf({ decisions }: Simulation): readonly (readonly [host: string, instances: number])[] {
  const counts = new Map<string, number>()
  for (const { destinations } of decisions)
    for (const { hostName, node, hasOtherNodes } of destinations) {
      const host = printHost(hostName, node, hasOtherNodes)
      counts.set(host, (counts.get(host) ?? 0) + 1)
    }
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** A sentence about the instances that the table of hosts does not count, because an answer lists a limited number of decisions. */
function unlistedText({ decisions, placed }: Simulation): readonly string[] {
  const listed = decisions.reduce((sum, { destinations }) => sum + destinations.length, 0)
  return listed === placed ? [] : [`The table of hosts counts only the first ${counted(listed, 'instance')} of the ${placed} placed.`]
}

/** For each zone and class: the used amount before and after the simulated placements, and the capacity. */
const useRows = ({ utilisationBefore, utilisationAfter }: Simulation): readonly (readonly string[])[] =>
  utilisationAfter.flatMap(({ key, usage }) =>
    usage.map(({ resourceClass, capacity, used }) => {
      const before = utilisationBefore.find((zone) => zone.key === key)?.usage.find((use) => use.resourceClass === resourceClass)
      const share = capacity === 0 ? '-' : `${Math.round((100 * used) / capacity)} %`
      return [key, resourceClass, String(before?.used ?? 0), String(used), String(capacity), share]
    }),
  )

function toLines(found: Simulation): readonly string[] {
  const hosts = hostsOf(found)
  return [
    ...wrap(headlineOf(found)),
    ...drainLines(found.drain),
    ...solvedText(found).flatMap((text) => wrap(text)),
    ...found.asked.flatMap(toLinesOfIgnored),
    ...(hosts.length === 0
      ? []
      : [
          '',
          ...toTable(
            [
              { head: 'host', cut: 'middle', least: 10, key: true },
              { head: 'instances', align: 'right' },
            ],
            hosts.slice(0, MAX_HOSTS).map(([host, instances]) => [host, String(instances)]),
          ),
          ...(hosts.length > MAX_HOSTS ? [`and ${hosts.length - MAX_HOSTS} more hosts: see --json`] : []),
          ...unlistedText(found).flatMap((text) => wrap(text)),
        ]),
    ...(found.firstFailure === null
      ? []
      : [
          '',
          ...wrap(found.firstFailure.explanation.headline),
          'Why no host takes the next instance',
          ...toReasonTable(found.firstFailure.reasons),
        ]),
    '',
    ...toTable(
      [
        { head: 'zone', cut: 'middle', least: 6 },
        { head: 'class', cut: 'end', least: 9 },
        { head: 'used before', align: 'right' },
        { head: 'after', align: 'right' },
        { head: 'of', align: 'right' },
        { head: 'full', align: 'right' },
      ],
      useRows(found),
    ),
  ]
}

const toMarkdown = (found: Simulation): readonly string[] =>
  toPage(
    heading('Simulation'),
    paragraph(headlineOf(found)),
    ...drainTexts(found.drain).map((text) => paragraph(text)),
    ...solvedText(found).map((text) => paragraph(text)),
    toMarkdownTable(
      [{ head: 'host' }, { head: 'instances', align: 'right' }],
      hostsOf(found).map(([host, instances]) => [host, String(instances)]),
    ),
    ...unlistedText(found).map((text) => paragraph(text)),
    ...(found.firstFailure === null ? [] : [paragraph(found.firstFailure.explanation.headline)]),
    found.firstFailure === null
      ? []
      : toMarkdownTable(
          [{ head: 'hosts', align: 'right' }, { head: 'filter' }, { head: 'reason' }],
          found.firstFailure.reasons.map(({ hosts, filter, text }) => [String(hosts), filter, text]),
        ),
    toMarkdownTable(
      [{ head: 'zone' }, { head: 'class' }, ...['used before', 'after', 'of', 'full'].map((head) => ({ head, align: 'right' as const }))],
      useRows(found),
    ),
  )
