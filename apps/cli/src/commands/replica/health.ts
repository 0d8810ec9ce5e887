import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { inWords } from '../../output/duration.ts'
import { counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs } from '../../output/table.ts'
import { toViolations } from '../fleet/findings.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

const HEALTH = graphql(
  `query Health { health { mode reason replica revision stateAge featureLevel release version violations warnings cleanSince cleanRounds cleanLooks checkedAge } }`,
)

/** The meaning of each mode for callers. */
const MODES: Readonly<Record<string, string>> = {
  NORMAL: 'everything is answered',
  STORE_AWAY: 'reads are answered from memory and may be as old as the lag; claims are refused and can be retried',
  READ_ONLY: 'this replica found a log from which it must not continue; reads are answered, claims are not',
  CLOSING: 'this replica is being stopped',
}

/** `gantt health`: the mode of the replica that answers, and which operations this replica can perform. */
export function addHealth(program: Command): void {
  const command = program
    .command('health')
    .description('show what the answering replica can do now; exits with 1 if its mode is not NORMAL')
    .action((flags: Flags) => run(flags, () => showHealth(flags)))
  withExamples(withService(command), [
    ['gantt health', 'show mode, age and revision'],
    ['gantt health --json || systemctl restart gantt', 'restart the service from a script if it is not healthy'],
  ])
}

async function showHealth(flags: Flags): Promise<Result> {
  const { health } = await connect(flags).request(HEALTH)
  const { mode, reason, replica, revision, stateAge, featureLevel, release, version, violations, warnings, checkedAge } = health
  const meaning = MODES[mode]
  return {
    lines: toPairs([
      ['mode', meaning === undefined ? mode : `${mode}: ${meaning}`],
      ...(reason === null ? [] : [['reason', reason] as const]),
      ['lag', `its state was last known to be current ${inWords(stateAge)} ago`],
      [
        'audit',
        checkedAge === null
          ? 'no full check yet'
          : `${toViolations(violations, health)}; ${counted(warnings, 'warning')}; checked ${inWords(checkedAge)} ago`,
      ],
      ['revision', revision],
      ['replica', replica],
      ['release', `${release}, decides by rules ${version}, log of feature level ${featureLevel}`],
    ]),
    json: health,
    exitCode: mode === 'NORMAL' ? EXIT.done : EXIT.refused,
  }
}
