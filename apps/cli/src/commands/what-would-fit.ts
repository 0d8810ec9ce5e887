import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { DRAIN, type Drain, drainLines, drainTexts } from './drain.ts'
import { EXIT } from './failure.ts'
import { decimal } from './format.ts'
import { printHost } from './host-name.ts'
import { type HypothesisFlags, readAsked, readHypothesis, withHypothesis } from './hypothesis.ts'
import { heading, paragraph, toMarkdownTable, toPage } from './markdown.ts'
import { wholeNumber } from './options.ts'
import { type Form, type Result, run, withExamples, withForms } from './output.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags, HypothesisFlags, Form {
  readonly maxChanges: number
  readonly minHosts: number
  readonly first: number
}

interface Answer {
  readonly asOf: string
  readonly fits: boolean
  readonly headline: string
  readonly tried: number
  readonly drain: Drain | null
  readonly counterfactuals: readonly {
    readonly changes: readonly { readonly kind: string; readonly subject: string; readonly from: string | null; readonly to: string }[]
    readonly unlocks: number
    readonly exampleHosts: readonly { readonly hostName: string; readonly node: string; readonly hasOtherNodes: boolean }[]
    readonly effort: number
    readonly text: string
    readonly simulation: unknown
  }[]
}

const WOULD_FIT = `query WhatWouldFit($input: WhatWouldFitInput!) {
  whatWouldFit(input: $input) {
    asOf fits headline tried cut
    ${DRAIN}
    counterfactuals { kind changes { kind subject from to } unlocks exampleHosts { hostName node hasOtherNodes } verified effort text overlay simulation }
    cause { code text admittedHosts hostName node }
  }
}`

/** `gantt what-would-fit`: the smallest changes that make a request fit. */
export function addWhatWouldFit(program: Command): void {
  const command = withHypothesis(
    program
      .command('what-would-fit')
      .description(
        'the smallest changes of request, fleet or profile with which a request fits, each tried; ends with 1 where none is found',
      )
      .option('--max-changes <n>', 'at most so many changes at a time, 1 or 2', wholeNumber(1, 2), 2)
      .option('--min-hosts <n>', 'only what lets so many hosts pass', wholeNumber(1, 100_000), 1)
      .option('--first <n>', 'answers to show', wholeNumber(1, 50), 10),
  ).action((flags: Flags) => run(flags, () => whatWouldFit(flags)))
  withExamples(withForms(command), [
    ['gantt what-would-fit --decision DECISION', 'a decision that found no host, at the state that it met'],
    ['gantt what-would-fit --vcpus 64 --memory-mb 262144 --zone az1', 'a request, now'],
    ['gantt what-would-fit --decision DECISION --json | jq .counterfactuals[0].simulation', 'what the API’s simulate takes as it is'],
  ])
}

async function whatWouldFit(flags: Flags): Promise<Result> {
  const { maxChanges, minHosts, first } = flags
  const input = { ...(await readAsked(flags)), ...readHypothesis(flags), maxChanges, minHosts, first }
  const { whatWouldFit: found } = await connect(flags).request<{ whatWouldFit: Answer }>(WOULD_FIT, { input })
  const isAnswered = found.fits || found.counterfactuals.length > 0
  return { lines: toLines(found), markdown: toMarkdown(found), json: found, exitCode: isAnswered ? EXIT.done : EXIT.refused }
}

const rowsOf = ({ counterfactuals }: Answer) =>
  counterfactuals.map(({ changes, unlocks, exampleHosts: [host], effort }) => [
    decimal(effort),
    String(unlocks),
    changes.map(({ kind, subject, from, to }) => `${kind.toLowerCase()}: ${subject} ${from === null ? '' : `${from} `}-> ${to}`).join('; '),
    host === undefined ? '-' : printHost(host.hostName, host.node, host.hasOtherNodes),
  ])

const toLines = (found: Answer): readonly string[] => [
  ...wrap(found.headline),
  ...drainLines(found.drain),
  ...(found.counterfactuals.length === 0
    ? []
    : [
        '',
        ...toTable(
          [
            { head: 'effort', align: 'right' },
            { head: 'hosts', align: 'right' },
            { head: 'change', wraps: true, least: 30 },
            { head: 'goes to', cut: 'middle', least: 10 },
          ],
          rowsOf(found),
        ),
        '',
        ...wrap(`Each was decided with the change, and placed; ${found.tried} were tried at revision ${found.asOf}. Nothing was changed.`),
      ]),
]

const toMarkdown = (found: Answer): readonly string[] =>
  toPage(
    heading('What would make it fit'),
    paragraph(found.headline),
    ...drainTexts(found.drain).map((text) => paragraph(text)),
    found.counterfactuals.length === 0
      ? []
      : toMarkdownTable(
          [{ head: 'effort', align: 'right' }, { head: 'hosts', align: 'right' }, { head: 'change' }, { head: 'goes to' }],
          rowsOf(found),
        ),
  )
