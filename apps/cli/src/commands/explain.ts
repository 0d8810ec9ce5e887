import type { Client } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect, pageOf } from './connection.ts'
import { askAbout, unknownDecision } from './decision.ts'
import { type Explained, toLines, type Verdict } from './explain-lines.ts'
import { toExplainPage } from './explain-page.ts'
import { TENANT, type TenantDecision, toTenantLines, toTenantPage } from './explain-tenant.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { wholeNumber } from './options.ts'
import { type Form, type Result, run, withExamples, withForms } from './output.ts'
import { PAGE_INFO, type Page, readPages } from './pages.ts'
import { REASON } from './reasons.ts'
import { TRIED } from './try-lines.ts'
import { toWeightBlocks, toWeightLines, WEIGHTS, type Weights } from './weight-lines.ts'

interface Flags extends ConnectionFlags, Form {
  readonly verdicts?: true
  readonly weights?: true
  readonly instance?: number
  readonly top: number
}

const SUBJECT = 'input: { subject: { decisionId: $id }, instanceIndex: $instance }'

const EXPLAIN = `query Explain($id: ID!, $instance: Int, $top: Int!, $near: Int!) {
  decision(id: $id) { id at explanationRetainedUntil outcome attempt durationMs account ${TRIED} solver { text status taken objective filterObjective bound gap nodes candidates passing detail } spec { flavorName vcpus memoryMb diskGb numInstances availabilityZone } }
  explanation: explainPlacement(${SUBJECT}) {
    headline instanceIndex hostCount fidelity fleetRevision
    profile { profileName number }
    steps { index name entered passed rejected soleRejections skippedBecause reasons { ${REASON} } }
    shadowSteps { name isAsked wouldReject ofThosePassing reasons { ${REASON} } }
    reasons { ${REASON} }
    selection { text }
    nearMisses(first: $near) { hostName node host { hasOtherNodes } outcome distance reportAge lacks checks { filter status text } }
    weighing(top: $top) {
      candidateCount
      weighers { name multiplier multiplierVaries unit decisive }
      hosts { hostName node host { hasOtherNodes } outcome rank totalWeight reportAge weights { weigher raw unit multiplier multiplierSource weighted } }
    }
  }
}`

/** What the API gives at most. */
const MOST_NEAR = 100

const VERDICTS = `query Verdicts($id: ID!, $instance: Int, $first: Int!, $after: String) {
  explanation: explainPlacement(${SUBJECT}) {
    verdicts(first: $first, after: $after) {
      ${PAGE_INFO}
      nodes { hostName node host { hasOtherNodes } outcome rank totalWeight reportAge checks(shortCircuit: true) { filter status text } }
    }
  }
}`

const WEIGHING = `query Weights($id: ID!, $instance: Int) { explanation: explainPlacement(${SUBJECT}) { weighing(top: 1) { ${WEIGHTS} } } }`

/** `gantt explain`: how a decision came about. */
export function addExplain(program: Command): void {
  const command = program
    .command('explain')
    .description(
      'how a decision came about: the hosts left after each filter, why the others were refused, which of them came nearest, how the best were weighed',
    )
    .argument('<decision>', 'its id, as select and decisions print it')
    .option('--verdicts', 'host by host too')
    .option('--weights', 'what each weigher decides too, and how far its multiplier can move before another host ranks first')
    .option('--instance <n>', 'which instance, from 0; if not given the one that found no host, else the first', wholeNumber(0, 999))
    .option('--top <n>', 'best hosts, and nearest of the refused, to show', wholeNumber(1, 200), 5)
    .action((decision: string, flags: Flags) => run(flags, () => explain(decision, flags)))
  withExamples(withForms(command), [
    ['gantt explain 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11', 'a decision'],
    ['gantt explain DECISION --verdicts', 'what became of each host'],
    ['gantt explain DECISION --weights', 'what the multipliers decided'],
    ['gantt explain DECISION --markdown > ticket.md', 'for a ticket'],
    ['gantt explain DECISION --json | jq .explanation.steps', 'for a script: what the API answers'],
  ])
}

async function explain(id: string, flags: Flags): Promise<Result> {
  const client = connect(flags)
  const { viewer } = await client.request<{ viewer: { readonly project: string | null } }>('{ viewer { project } }')
  if (viewer.project !== null) return explainToTenant(client, id, viewer.project, flags)
  const { instance, top } = flags
  const answer = await askAbout(client, id, () => client.request<Explained>(EXPLAIN, { id, instance, top, near: Math.min(top, MOST_NEAR) }))
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

async function readVerdicts(client: Client, id: string, instance: number | undefined): Promise<readonly Verdict[]> {
  const { items } = await readPages(Number.POSITIVE_INFINITY, async (first, after) => {
    const page = await client.request<{ explanation: { verdicts: Page<Verdict> } }>(VERDICTS, { id, instance, first, after })
    return page.explanation.verdicts
  })
  return items
}

async function readWeights(client: Client, id: string, instance: number | undefined): Promise<Weights> {
  const { explanation } = await client.request<{ explanation: { weighing: Weights } }>(WEIGHING, { id, instance })
  return explanation.weighing
}

async function explainToTenant(client: Client, id: string, project: string, flags: Flags): Promise<Result> {
  if (flags.verdicts || flags.weights || flags.instance !== undefined)
    throw new CommandFailure(EXIT.usage, `--verdicts, --weights and --instance tell of hosts, and the key is bound to project ${project}`)
  const answer = await askAbout(client, id, () => client.request<{ decision: TenantDecision | null }>(TENANT, { id }))
  if (answer.decision === null) throw unknownDecision(id)
  return { lines: toTenantLines(answer.decision), json: answer, markdown: toTenantPage(answer.decision) }
}
