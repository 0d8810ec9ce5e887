import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { toHostName } from '../../options/host-name.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { askAbout } from './known.ts'
import { toLines, toWhyNotPage, WHY_NOT_FIELDS } from './why-not-lines.ts'

interface Flags extends ConnectionFlags, Form {
  readonly node?: string
  readonly instance?: number
}

const WHY_NOT = graphql(`query WhyNot($input: WhyNotInput!) { whyNot(input: $input) { ...WhyNotParts } }`, [WHY_NOT_FIELDS])

/** `gantt why-not`: why a decision did not select a given host. */
export function addWhyNot(program: Command): void {
  const command = program
    .command('why-not')
    .description(
      'explain why a decision did not choose a host: every check with its numbers and their sources, the gap to the chosen host, and the present result',
    )
    .argument('<decision>', 'id of the decision, as "gantt select" and "gantt decisions" print it')
    .argument('<host>', 'name of the host, HOST or HOST/NODE')
    .option('--node <name>', 'name of the node, if the host has several nodes')
    .option(
      '--instance <n>',
      'index of the instance, from 0; if not given, the instance that found no host or, if all found one, the first instance',
      wholeNumber(0, 999),
    )
    .action((decision: string, host: string, flags: Flags) => run(flags, () => whyNot(decision, host, flags)))
  withExamples(withForms(command), [
    ['gantt why-not 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11 rack1-a', 'explain why a decision did not choose a host'],
    ['gantt why-not DECISION rack1-a --markdown > ticket.md', 'write the explanation as Markdown, for a ticket'],
    ['gantt why-not DECISION rack1-a --json | jq .verdict.checks', 'print the checks of the host, for a script'],
  ])
}

async function whyNot(decisionId: string, host: string, { node, instance, ...flags }: Flags): Promise<Result> {
  const input = {
    subject: { decisionId },
    host: toHostName(host, node),
    ...(instance === undefined ? {} : { instanceIndex: instance }),
  }
  const client = connect(flags)
  const { whyNot: answer } = await askAbout(client, decisionId, () => client.request(WHY_NOT, { input }))
  return {
    lines: toLines(answer),
    json: answer,
    markdown: toWhyNotPage(answer),
    exitCode: answer.outcome !== 'UNKNOWN' ? EXIT.done : answer.wouldPassNow === null ? EXIT.usage : EXIT.refused,
  }
}
