import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect, pageOf, readProject, type ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { readPages } from '../../call/pages.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { EXPLAIN, toLines, VERDICTS, type Verdict } from './explain-lines.ts'
import { toExplainPage } from './explain-page.ts'
import { TENANT, toTenantLines, toTenantPage } from './explain-tenant.ts'
import { askAbout, unknownDecision } from './known.ts'
import { toWeightBlocks, toWeightLines, WEIGHTS, type Weights } from './weight-lines.ts'

interface Flags extends ConnectionFlags, Form {
  readonly verdicts?: true
  readonly weights?: true
  readonly instance?: number
  readonly top: number
}

/** The API returns at most this many near misses. */
const MAX_NEAR_MISSES = 100

const WEIGHING = graphql(
  `query Weights($id: ID!, $instance: Int) { explanation: explainPlacement(input: { subject: { decisionId: $id }, instanceIndex: $instance }) { weighing(top: 1) { ...Weights } } }`,
  [WEIGHTS],
)

/** `gantt explain`: how a decision was made. */
export function addExplain(program: Command): void {
  const command = program
    .command('explain')
    .description(
      'explain a decision: the hosts left after each filter, why the other hosts were refused, which refused hosts came nearest, how the best hosts were weighed',
    )
    .argument('<decision>', 'id of the decision, as "gantt select" and "gantt decisions" print it')
    .option('--verdicts', 'also show the verdict on each host')
    .option('--weights', 'also show the effect of each weigher, and how far its multiplier can change before another host ranks first')
    .option(
      '--instance <n>',
      'index of the instance, from 0; if not given, the instance that found no host or, if all found one, the first instance',
      wholeNumber(0, 999),
    )
    .option('--top <n>', 'show this many of the best hosts, and of the refused hosts nearest to passing', wholeNumber(1, 200), 5)
    .action((decision: string, flags: Flags) => run(flags, () => explain(decision, flags)))
  withExamples(withForms(command), [
    ['gantt explain 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11', 'explain a decision'],
    ['gantt explain DECISION --verdicts', 'also show the verdict on each host'],
    ['gantt explain DECISION --weights', 'also show what the multipliers decided'],
    ['gantt explain DECISION --markdown > ticket.md', 'write the explanation as Markdown, for a ticket'],
    ['gantt explain DECISION --json | jq .explanation.steps', 'print the filters from the answer of the API, for a script'],
  ])
}

async function explain(id: string, flags: Flags): Promise<Result> {
  const client = connect(flags)
  const project = await readProject(client)
  if (project !== null) return explainToTenant(client, id, project, flags)
  const { instance, top } = flags
  const { decision, explanation } = await askAbout(client, id, () =>
    client.request(EXPLAIN, { id, instance, top, near: Math.min(top, MAX_NEAR_MISSES) }),
  )
  if (decision === null) throw unknownDecision(id)
  const answer = { decision, explanation }
  const verdicts = flags.verdicts && (await readVerdicts(client, id, instance))
  const weights = flags.weights && (await readWeights(client, id, instance))
  return {
    lines: toLines(answer, verdicts, weights && toWeightLines(weights)),
    json: { ...answer, ...(verdicts && { verdicts }), ...(weights && { weights }) },
    markdown: toExplainPage(
      answer,
      pageOf(flags, `/decisions/${encodeURIComponent(answer.decision.id)}`),
      verdicts,
      weights && toWeightBlocks(weights),
    ),
  }
}

async function readVerdicts(client: ServiceClient, id: string, instance: number | undefined): Promise<readonly Verdict[]> {
  const { items } = await readPages(Number.POSITIVE_INFINITY, async (first, after) => {
    const page = await client.request(VERDICTS, { id, instance, first, after })
    return page.explanation.verdicts
  })
  return items
}

async function readWeights(client: ServiceClient, id: string, instance: number | undefined): Promise<Weights> {
  const { explanation } = await client.request(WEIGHING, { id, instance })
  return explanation.weighing
}

async function explainToTenant(client: ServiceClient, id: string, project: string, flags: Flags): Promise<Result> {
  if (flags.verdicts || flags.weights || flags.instance !== undefined)
    throw new CommandFailure(EXIT.usage, `--verdicts, --weights and --instance show hosts, and the key is bound to project ${project}`)
  const answer = await askAbout(client, id, () => client.request(TENANT, { id }))
  if (answer.decision === null) throw unknownDecision(id)
  return { lines: toTenantLines(answer.decision), json: answer, markdown: toTenantPage(answer.decision) }
}
