import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { age, counted, mib } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs } from '../../output/table.ts'

interface Flags extends ConnectionFlags {
  readonly json?: true
}

const LOG = graphql(`query Log { fleetLog { firstRevision firstAt bytes keptDays keptBytes rowsSetAside tablesRevision } }`)

const BYTES_PER_MIB = 1_048_576

/** `gantt log`: how far back the log reaches. */
export function addLog(program: Command): void {
  const command = program
    .command('log')
    .description('show how far back the log reaches; older decisions can be read, but not replayed')
    .action((flags: Flags) => run(flags, () => showLog(flags)))
  withExamples(withService(command), [['gantt log', 'show the first revision, the size and the retention']])
}

async function showLog(flags: Flags): Promise<Result> {
  const { fleetLog } = await connect(flags).request(LOG)
  const { firstRevision, firstAt, bytes, keptDays, keptBytes, rowsSetAside, tablesRevision } = fleetLog
  const from = firstAt === null ? 'the log is empty' : `the first entry is from ${firstAt}, ${age(firstAt, Date.now())} ago`
  return {
    lines: toPairs([
      ['reaches back to', Number(firstRevision) === 0 ? `the beginning of the log; ${from}` : `revision ${firstRevision}; ${from}`],
      ['size', mib(bytes / BYTES_PER_MIB)],
      ['is kept', `${counted(keptDays, 'day')} (GANTT_LOG_DAYS), at most ${mib(keptBytes / BYTES_PER_MIB)} (GANTT_LOG_BYTES)`],
      ['tables have', `everything up to revision ${tablesRevision}`],
      ['skipped rows', rowsSetAside === 0 ? '0' : `${rowsSetAside}: the database refused them; the service's output states why`],
    ]),
    json: fleetLog,
  }
}
