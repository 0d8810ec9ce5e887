import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { EXIT } from './failure.ts'
import { type Clean, toViolations } from './findings.ts'
import { counted } from './format.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toPairs } from './table.ts'
import { inWords } from './words.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

interface Health extends Clean {
  readonly mode: string
  readonly reason: string | null
  readonly replica: string
  readonly revision: string
  readonly stateAge: string
  readonly featureLevel: number
  readonly version: string
  readonly violations: number
  readonly warnings: number
  /** Null before its auditor has looked at everything once. */
  readonly checkedAge: string | null
}

const HEALTH =
  'query Health { health { mode reason replica revision stateAge featureLevel version violations warnings cleanSince cleanRounds cleanLooks checkedAge } }'

/** What a mode means for those who call. */
const MODES: Readonly<Record<string, string>> = {
  NORMAL: 'everything is answered',
  STORE_AWAY: 'reads are answered from memory, with this age; claims are refused, to be tried again',
  READ_ONLY: 'this replica met a log that it must not go on from; reads are answered, claims are not',
  CLOSING: 'it is being stopped',
}

/** `gantt health`: what the replica that answers can do now. */
export function addHealth(program: Command): void {
  const command = program
    .command('health')
    .description('what the replica that answers can do now; ends with 1 where that is not everything')
    .action((flags: Flags) => run(flags, () => showHealth(flags)))
  withExamples(withService(command), [
    ['gantt health', 'mode, age and revision'],
    ['gantt health --json || systemctl restart gantt', 'in a script'],
  ])
}

async function showHealth(flags: Flags): Promise<Result> {
  const { health } = await connect(flags).request<{ health: Health }>(HEALTH)
  const { mode, reason, replica, revision, stateAge, featureLevel, version, violations, warnings, checkedAge } = health
  const meaning = MODES[mode]
  return {
    lines: toPairs([
      ['mode', meaning === undefined ? mode : `${mode}: ${meaning}`],
      ...(reason === null ? [] : [['reason', reason] as const]),
      ['lag', `${inWords(stateAge)} since its state was known to be as new as the store's`],
      [
        'audit',
        checkedAge === null
          ? 'not everything was looked at yet'
          : `${toViolations(violations, health)}; ${counted(warnings, 'warning')}; checked ${inWords(checkedAge)} ago`,
      ],
      ['revision', revision],
      ['replica', replica],
      ['version', `${version}, log of feature level ${featureLevel}`],
    ]),
    json: health,
    exitCode: mode === 'NORMAL' ? EXIT.done : EXIT.refused,
  }
}
