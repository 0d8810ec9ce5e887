import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { askAbout } from './decision.ts'
import { EXIT } from './failure.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

/** What the API says of a decision that was compared with itself. */
export interface Verification {
  readonly outcome: 'SAME' | 'DIFFERENT' | 'UNKNOWN'
  readonly fidelity: string
  readonly fleetRevision: number | null
  readonly checks: readonly {
    readonly part: string
    readonly outcome: string
    readonly text: string
    readonly kept: string | null
    readonly found: string | null
    readonly difference: { readonly path: string; readonly was: string | null; readonly is: string | null } | null
  }[]
}

const VERIFY = `query Verify($id: ID!) {
  verification: verifyDecision(id: $id) {
    decision { id } outcome fidelity fleetRevision checks { part outcome text kept found difference { path was is } }
  }
}`

/** `gantt verify`: whether a decision is still what it was. */
export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description(
      'replays a decision and compares it with its receipt, with the log, and every verdict with those of the first replay; ends with 0: the same, 1: different, 2: it cannot be told',
    )
    .argument('<decision>', 'its id, as select and decisions print it')
    .action((decision: string, flags: Flags) => run(flags, () => verify(decision, flags)))
  withExamples(withService(command), [
    ['gantt verify 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11', 'a decision'],
    ['gantt verify DECISION --json | jq .outcome', 'for a script'],
  ])
}

const EXITS = { SAME: EXIT.done, DIFFERENT: EXIT.refused, UNKNOWN: EXIT.usage } as const

async function verify(id: string, flags: Flags): Promise<Result> {
  const client = connect(flags)
  const { verification } = await askAbout(client, id, () => client.request<{ verification: Verification }>(VERIFY, { id }))
  return { lines: toVerificationLines(verification), json: verification, exitCode: EXITS[verification.outcome] }
}

/** What was compared, and where it differs. */
export function toVerificationLines({ outcome, fidelity, fleetRevision, checks }: Verification): readonly string[] {
  const differing = checks.filter((check) => check.outcome === 'DIFFERENT')
  return [
    ...wrap(HEADLINES[outcome]),
    ...(fleetRevision === null ? [] : [`Made again on revision ${fleetRevision} (${fidelity}).`]),
    '',
    ...toTable(
      [{ head: 'part' }, { head: 'outcome' }, { head: 'what was found', wraps: true, least: 24 }],
      checks.map(({ part, outcome: how, text }) => [part, how, text]),
    ),
    ...differing.flatMap(({ part, kept, found, difference }) =>
      difference === null
        ? ['', `${part}: not the hash that was kept`, `  kept   ${kept ?? 'none'}`, `  found  ${found ?? 'none'}`]
        : [
            '',
            ...wrap(`${part}: differs first at ${difference.path || 'the whole'}`),
            `  was  ${short(difference.was)}`,
            `  is   ${short(difference.is)}`,
          ],
    ),
  ]
}

const HEADLINES: Readonly<Record<Verification['outcome'], string>> = {
  SAME: 'The decision is what it was, to the last bit.',
  DIFFERENT: 'The decision is not what it was.',
  UNKNOWN: 'It cannot be told whether the decision is what it was.',
}

/** The beginning of what is longer than a line. */
function short(json: string | null): string {
  if (json === null) return 'not there'
  return json.length > 73 ? `${json.slice(0, 70)}...` : json
}
