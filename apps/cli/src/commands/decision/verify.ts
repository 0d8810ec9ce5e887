import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { askAbout } from './known.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

const VERIFY = graphql(`query Verify($id: ID!) {
  verification: verifyDecision(id: $id) {
    decision { id } outcome fidelity fleetRevision checks { part outcome text kept found difference { path was is } }
  }
}`)

/** The API's answer about the verification of a decision. */
export type Verification = ResultOf<typeof VERIFY>['verification']

/** `gantt verify`: repeats a recorded decision and checks that the result is the same. */
export function addVerify(program: Command): void {
  const command = program
    .command('verify')
    .description(
      'replay a decision and compare it with its receipt, the log and the first replay; exits with 0 if they are equal, 1 if they differ, 2 if this cannot be determined',
    )
    .argument('<decision>', 'id of the decision, as "gantt select" and "gantt decisions" print it')
    .action((decision: string, flags: Flags) => run(flags, () => verify(decision, flags)))
  withExamples(withService(command), [
    ['gantt verify 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11', 'verify a decision'],
    ['gantt verify DECISION --json | jq .outcome', 'print only the result, for a script'],
  ])
}

const EXITS = { SAME: EXIT.done, DIFFERENT: EXIT.refused, UNKNOWN: EXIT.usage } as const

async function verify(id: string, flags: Flags): Promise<Result> {
  const client = connect(flags)
  const { verification } = await askAbout(client, id, () => client.request(VERIFY, { id }))
  return { lines: toVerificationLines(verification), json: verification, exitCode: EXITS[verification.outcome] }
}

/** The compared values of the recorded and the repeated decision, and their differences. */
export function toVerificationLines({ outcome, fidelity, fleetRevision, checks }: Verification): readonly string[] {
  const differing = checks.filter((check) => check.outcome === 'DIFFERENT')
  return [
    ...wrap(HEADLINES[outcome]),
    ...(fleetRevision === null ? [] : [`Replayed on revision ${fleetRevision} (${fidelity}).`]),
    '',
    ...toTable(
      [{ head: 'part' }, { head: 'outcome' }, { head: 'what was found', wraps: true, least: 24 }],
      checks.map(({ part, outcome: how, text }) => [part, how, text]),
    ),
    ...differing.flatMap(({ part, kept, found, difference }) =>
      difference === null
        ? ['', `${part}: the hash differs from the recorded one`, `  recorded  ${kept ?? 'none'}`, `  computed  ${found ?? 'none'}`]
        : [
            '',
            ...wrap(`${part}: ${difference.path === '' ? 'the values differ' : `the first difference is at ${difference.path}`}`),
            `  was  ${short(difference.was)}`,
            `  is   ${short(difference.is)}`,
          ],
    ),
  ]
}

const HEADLINES: Readonly<Record<Verification['outcome'], string>> = {
  SAME: 'The decision is unchanged, bit for bit.',
  DIFFERENT: 'The decision is not the same as when it was made.',
  UNKNOWN: 'It is unknown whether the decision is unchanged.',
}

/** A text, shortened if it is longer than a line. */
function short(json: string | null): string {
  if (json === null) return 'missing'
  return json.length > 73 ? `${json.slice(0, 70)}...` : json
}
