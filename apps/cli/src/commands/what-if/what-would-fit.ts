import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { printHost } from '../../options/host-name.ts'
import { wholeNumber } from '../../options/values.ts'
import { decimal } from '../../output/format.ts'
import { heading, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { type WhatWouldFit as Answer, WOULD_FIT } from './documents.ts'
import { drainLines, drainTexts } from './drain.ts'
import { type HypothesisFlags, readAsked, readHypothesis, withHypothesis } from './hypothesis.ts'

interface Flags extends ConnectionFlags, HypothesisFlags, Form {
  readonly maxChanges: number
  readonly minHosts: number
  readonly first: number
}

/** `gantt what-would-fit`: the smallest changes that make a request fit. */
export function addWhatWouldFit(program: Command): void {
  const command = withHypothesis(
    program
      .command('what-would-fit')
      .description(
        'find the smallest changes to the request, the fleet or the profile with which a request fits; each change is verified; exits with 1 if none is found',
      )
      .option('--max-changes <n>', 'combine at most this many changes, 1 or 2', wholeNumber(1, 2), 2)
      .option('--min-hosts <n>', 'only changes that let at least this many hosts pass', wholeNumber(1, 100_000), 1)
      .option('--first <n>', 'show at most this many answers', wholeNumber(1, 50), 10),
  ).action((flags: Flags) => run(flags, () => whatWouldFit(flags)))
  withExamples(withForms(command), [
    ['gantt what-would-fit --decision DECISION', 'for a decision that found no host, at the state that it used'],
    ['gantt what-would-fit --vcpus 64 --memory-mb 262144 --zone az1', 'for a request on the present fleet'],
    ['gantt what-would-fit --decision DECISION --json | jq .counterfactuals[0].simulation', 'print input for the API’s query simulate'],
  ])
}

async function whatWouldFit(flags: Flags): Promise<Result> {
  const { maxChanges, minHosts, first } = flags
  const input = { ...(await readAsked(flags)), ...readHypothesis(flags), maxChanges, minHosts, first }
  const { whatWouldFit: found } = await connect(flags).request(WOULD_FIT, { input })
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
    heading('What would make the request fit'),
    paragraph(found.headline),
    ...drainTexts(found.drain).map((text) => paragraph(text)),
    found.counterfactuals.length === 0
      ? []
      : toMarkdownTable(
          [{ head: 'effort', align: 'right' }, { head: 'hosts', align: 'right' }, { head: 'change' }, { head: 'goes to' }],
          rowsOf(found),
        ),
  )
