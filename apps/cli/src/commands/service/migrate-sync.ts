import type { Command } from 'commander'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { counted } from '../../output/format.ts'
import { JSON_OPTION, note, type Result, run, withExamples } from '../../output/output.ts'
import { toPairs, wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'

interface Flags {
  readonly from: string
  readonly to: string
  readonly dryRun?: true
  readonly abandon?: true
  readonly json?: true
}

/** Progress is shown each time this many entries were copied. */
const SHOWN_EVERY = 10_000

/** The text for each step, in order. */
export const STEPS = {
  check: 'Checking both engines.',
  close: 'Closing the old engine: no replica writes to it any more.',
  drain: 'Writing what is queued in NATS to the tables.',
  copy: 'Copying the log and its checkpoints.',
  keys: 'Copying the API keys.',
  verify: 'Reading the copy back.',
  declare: 'The copy is the same log. Opening the new engine.',
  end: 'The new engine is open.',
} as const

/** `gantt migrate-sync`: moves the log from one engine to the other (PostgreSQL or NATS). */
export function addMigrateSync(program: Command): void {
  const command = program
    .command('migrate-sync')
    .description(
      'move the log, and what is stored with it, from PostgreSQL to NATS or back, while no replica runs (settings: DATABASE_URL or GANTT_DATA_DIR, GANTT_SYNC)',
    )
    .requiredOption('--from <engine>', 'engine that has the log: postgres, nats (the URL in GANTT_SYNC), or nats://a,b,c', notEmpty)
    .requiredOption('--to <engine>', 'engine to which the log is moved, in the same form', notEmpty)
    .option('--dry-run', 'check everything, summarise the log, and change nothing')
    .option('--abandon', 'revert a move of the log that has not ended; the old engine stays in use')
    .option(...JSON_OPTION)
    .action((flags: Flags) => run(flags, () => migrate(flags)))
  withExamples(command, [
    ['gantt migrate-sync --from postgres --to nats://a,b,c --dry-run', 'show what prevents the change, and what would be copied'],
    ['gantt migrate-sync --from postgres --to nats://a,b,c', 'change the engine; if the command is interrupted, repeat it'],
    ['GANTT_SYNC=nats://a,b,c gantt migrate-sync --from nats --to postgres', 'change back to PostgreSQL'],
  ])
}

async function migrate({ from, to, dryRun, abandon }: Flags): Promise<Result> {
  // Loaded on demand, so that the other commands start without loading the server.
  const server = await import('@gantt/server')
  const options = {
    ...{ environment: process.env, from, to },
    onStep: (step: keyof typeof STEPS) => note(STEPS[step]),
    onCopied: (entries: number) => entries % SHOWN_EVERY === 0 && note(`  ${entries} entries`),
    warn: (message: string) => note(`warning: ${message}`),
  }
  const failed = (error: unknown): never => {
    throw toFailure(error, server)
  }
  if (abandon) {
    if (dryRun) throw new CommandFailure(EXIT.usage, '--abandon and --dry-run cannot be given together')
    await server.abandonMigration(options).catch(failed)
    return { lines: wrap('The change is reverted: replicas may start on the old engine again.'), json: { outcome: 'abandoned' } }
  }
  const report = await server.migrateSync({ ...options, isDry: dryRun === true }).catch(failed)
  return { lines: toLines(report), json: report }
}

type Server = typeof import('@gantt/server')
type Report = Awaited<ReturnType<Server['migrateSync']>>

function toLines({ outcome, from, to, keys, revision }: Report): readonly string[] {
  const sentences = {
    ready: 'Nothing prevents the change. Nothing was changed.',
    done: 'Done: old and new are the same log. Start every replica on the new engine.',
    ended: 'Done: an earlier call had copied and compared everything. Start every replica on the new engine.',
    already: `Nothing to do: an earlier call already moved the log to the new engine, at revision ${revision}.`,
  }
  if (from === null) return wrap(sentences[outcome])
  return [
    ...toPairs([
      ['log', `${from.entries} ${from.entries === 1 ? 'entry' : 'entries'}, up to revision ${from.revision}`],
      ['holds', `${counted(from.hosts, 'host')}, ${counted(from.claims, 'claim')}${keys === null ? '' : `, ${counted(keys, 'API key')}`}`],
      ['state, old', from.state],
      ...(to === null ? [] : [['state, new', to.state] as const]),
      ['entries, old', shortOf(from.log)],
      ...(to === null ? [] : [['entries, new', shortOf(to.log)] as const]),
    ]),
    '',
    ...wrap(sentences[outcome]),
  ]
}

/** The beginning of a SHA-256, long enough to compare by eye; `--json` has the complete hash. */
const shortOf = (hash: string): string => hash.slice(0, 16)

/** An error that the operator can correct becomes a CommandFailure. Any other error is a defect and is passed on unchanged. */
function toFailure(error: unknown, { ConfigError, EngineChangeError, StoreSetupError, StoreUnavailableError }: Server): unknown {
  if (error instanceof EngineChangeError) return new CommandFailure(EXIT.refused, `${error.message} (${error.code})`)
  if (error instanceof ConfigError) return new CommandFailure(EXIT.usage, error.message)
  if (error instanceof StoreSetupError || error instanceof RangeError) return new CommandFailure(EXIT.refused, error.message)
  if (error instanceof StoreUnavailableError)
    return new CommandFailure(
      EXIT.unreachable,
      `${error.message}. A partial change is not used: run the same command again, or with --abandon.`,
    )
  return error
}
