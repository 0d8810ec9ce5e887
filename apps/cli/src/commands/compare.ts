import type { Command } from 'commander'
import { type Comparison, toComparisonLines, toComparisonPage } from './compare-lines.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { wholeNumber } from './options.ts'
import { type Form, type Result, run, withExamples, withForms } from './output.ts'

interface Flags extends ConnectionFlags, Form {
  readonly instance?: number
  readonly hosts: number
}

const SIDE =
  'id at outcome account fleetRevision profile { profileName number } spec { vcpus memoryMb diskGb numInstances availabilityZone }'

const COMPARE = `query Compare($a: ID!, $b: ID!, $instance: Int, $hosts: Int!) {
  comparison: compareDecisions(a: $a, b: $b, instanceIndex: $instance) {
    a { ${SIDE} } b { ${SIDE} } fidelity approximateBecause cause text
    specChanges { field before after } profileChanges { field before after }
    fleetChangedHosts fleetChanges { field hosts }
    aInstanceIndex bInstanceIndex steps { filter aEntered aPassed bEntered bPassed }
    flippedCount flipped(first: $hosts) { hostName node hasOtherNodes a b because }
    trials { factors hosts isSecond }
  }
}`

/** `gantt compare`: why two decisions went to other hosts. */
export function addCompare(program: Command): void {
  const command = program
    .command('compare')
    .description(
      'why two decisions went to other hosts: the request, the profile, the fleet or the seed, found by making the first again with each',
    )
    .argument('<first>', 'id of a decision, as select and decisions print it')
    .argument('<second>', 'id of another')
    .option('--instance <n>', 'which instance of both, from 0; if not given the first that went elsewhere', wholeNumber(0, 999))
    .option('--hosts <n>', 'hosts that fared otherwise, to show', wholeNumber(1, 500), 10)
    .action((first: string, second: string, flags: Flags) => run(flags, () => compare(first, second, flags)))
  withExamples(withForms(command), [
    ['gantt compare FIRST SECOND', 'why it went elsewhere this time'],
    ['gantt compare FIRST SECOND --markdown > ticket.md', 'for a ticket'],
  ])
}

async function compare(a: string, b: string, { instance, hosts, ...flags }: Flags): Promise<Result> {
  const { comparison } = await connect(flags).request<{ comparison: Comparison }>(COMPARE, { a, b, instance, hosts })
  return { lines: toComparisonLines(comparison), json: comparison, markdown: toComparisonPage(comparison) }
}
