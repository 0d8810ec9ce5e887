import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { COMPARE, toComparisonLines, toComparisonPage } from './compare-lines.ts'

interface Flags extends ConnectionFlags, Form {
  readonly instance?: number
  readonly hosts: number
}

/** `gantt compare`: why two decisions selected different hosts. */
export function addCompare(program: Command): void {
  const command = program
    .command('compare')
    .description(
      'explain why two decisions chose different hosts: replay the first decision with the request, the profile, the fleet or the seed of the second',
    )
    .argument('<first>', 'id of the first decision, as "gantt select" and "gantt decisions" print it')
    .argument('<second>', 'id of the second decision')
    .option(
      '--instance <n>',
      'index of the instance in both decisions, from 0; if not given, the first instance with different hosts',
      wholeNumber(0, 999),
    )
    .option('--hosts <n>', 'show at most this many hosts with different results', wholeNumber(1, 500), 10)
    .action((first: string, second: string, flags: Flags) => run(flags, () => compare(first, second, flags)))
  withExamples(withForms(command), [
    ['gantt compare FIRST SECOND', 'find out why the second decision chose another host'],
    ['gantt compare FIRST SECOND --markdown > ticket.md', 'write the comparison as Markdown, for a ticket'],
  ])
}

async function compare(a: string, b: string, { instance, hosts, ...flags }: Flags): Promise<Result> {
  const { comparison } = await connect(flags).request(COMPARE, { a, b, instance, hosts })
  return { lines: toComparisonLines(comparison), json: comparison, markdown: toComparisonPage(comparison) }
}
