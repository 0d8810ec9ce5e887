import { availableParallelism, loadavg } from 'node:os'
import { JSON_OPTION } from '@gantt/cli/for-proofs'
import { Argument, type Command, Option } from 'commander'
import { type Checks, createChecks } from '../checks.ts'
import { EngineMissingError } from '../safety-under-faults/engine.ts'
import { type EngineName, engines } from '../safety-under-faults/engines/index.ts'
import { measureDatabaseAway } from './database-away.ts'
import { createFigures, type Figures, textOf } from './figure.ts'
import { measureJoiner } from './joiner.ts'
import { measureLeaderLoss } from './leader-loss.ts'

const SCENARIOS = ['leader', 'database', 'joiner'] as const
type What = (typeof SCENARIOS)[number]

interface Options {
  readonly engine?: EngineName
  readonly rounds: number
  readonly minutes: number
  readonly hosts: number
  readonly history: number
  readonly json?: true
}

/** `gantt prove recovery`: measures with real processes how long recoveries take, and checks that nothing is lost. */
export function addRecovery(prove: Command, count: (text: string) => number): void {
  prove
    .command('recovery')
    .description(
      'measure the recovery after the leader of the store is lost, the database is unreachable, or a replica joins a large fleet',
    )
    .addArgument(new Argument('[what...]', 'the measurement; all of them if not given').choices(SCENARIOS))
    .addOption(new Option('--engine <name>', 'only this engine').choices(Object.keys(engines)))
    .option('--rounds <n>', 'number of times that a leader is lost in each way', count, 5)
    .option('--minutes <n>', 'time for which the database is unreachable, in minutes', count, 10)
    .option('--hosts <n>', 'number of hosts in the fleet that a replica joins', count, 100_000)
    .option('--history <n>', 'number of calls that are placed in this fleet after the last checkpoint', count, 2_000)
    .option(...JSON_OPTION)
    .action(measure)
}

async function measure(whats: readonly What[], { engine: only, rounds, minutes, hosts, history, json }: Options): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const checks = createChecks(say)
  const figures = createFigures()
  const ended = new AbortController()
  const end = (name: NodeJS.Signals): void => ended.abort(new Error(`ended by ${name}`))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, end)
  const { signal } = ended
  const wanted = (what: What): boolean => whats.length === 0 || whats.includes(what)
  for (const engine of Object.keys(engines) as EngineName[]) {
    if (only !== undefined && only !== engine) continue
    if (wanted('leader'))
      await step(checks, figures, say, `${engine}: the leader of the store is lost`, () =>
        measureLeaderLoss(checks, figures, { engine, rounds, signal, say }),
      )
    if (wanted('database') && engine === 'nats')
      await step(checks, figures, say, `nats: the database is unavailable for ${minutes} min under load`, () =>
        measureDatabaseAway(checks, figures, { minutes, signal, say }),
      )
    if (wanted('joiner'))
      await step(checks, figures, say, `${engine}: a replica joins a fleet of ${hosts} hosts`, () =>
        measureJoiner(checks, figures, { engine, hosts, history, signal, say }),
      )
  }
  const { passed, failed } = checks
  process.stdout.write(
    json ? `${JSON.stringify({ proof: 'recovery', passed, failed, figures: figures.all })}\n` : `${passed} passed, ${failed} failed\n`,
  )
  if (failed > 0) process.exitCode = 1
}

/** Runs one measurement. Its results are printed as soon as it ends. */
async function step(checks: Checks, figures: Figures, say: (line: string) => void, name: string, work: () => Promise<void>): Promise<void> {
  const known = figures.all.length
  say(`prove recovery: ${name} (load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors)`)
  try {
    await work()
  } catch (error) {
    checks.check('the measurement was completed', false, () => wordsOf(error))
  }
  for (const figure of figures.all.slice(known)) say(`  ${textOf(figure)}`)
}

function wordsOf(error: unknown): string {
  if (error instanceof EngineMissingError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
