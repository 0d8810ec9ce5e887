import { availableParallelism, loadavg } from 'node:os'
import { JSON_OPTION } from '@gantt/cli/for-proofs'
import { type Command, Option } from 'commander'
import { createChecks } from '../checks.ts'
import { EngineMissingError } from '../safety-under-faults/engine.ts'
import { type EngineName, engines } from '../safety-under-faults/engines/index.ts'
import { NotBuiltError } from './releases.ts'
import { runUpgrade, textOf, type UpgradeFigures } from './run.ts'

interface Options {
  readonly from?: string
  readonly engine: EngineName
  readonly seconds: number
  readonly clients: number
  readonly seed?: string
  readonly json?: true
}

/** `gantt prove upgrade`: replaces replicas by another release and back under load, with real processes. */
export function addUpgrade(prove: Command, count: (text: string) => number): void {
  prove
    .command('upgrade')
    .description('upgrade three replicas from an older release and back, one after the other, under load: nothing is lost')
    .option('--from <folder>', 'a built checkout of the older release; this release at an older feature level if not given')
    .addOption(new Option('--engine <name>', 'engine that stores the log').choices(Object.keys(engines)).default('postgres'))
    .option('--seconds <n>', 'time for which callers continue between two rounds, in seconds', count, 10)
    .option('--clients <n>', 'number of callers', count, 12)
    .option('--seed <text>', 'seed from which the calls are drawn; random if not given')
    .option(...JSON_OPTION)
    .action(upgrade)
}

async function upgrade({ seed = String(Date.now() % 1_000_000), json, ...options }: Options): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const checks = createChecks(say)
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`
  say(`prove upgrade: engine ${options.engine}, ${options.clients} clients, seed ${seed} (${load})`)
  const ended = new AbortController()
  // A signal ends everything that the run started.
  const end = (name: NodeJS.Signals): void => ended.abort(new Error(`ended by ${name}`))
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, end)
  let figures: UpgradeFigures | undefined
  try {
    figures = await runUpgrade(checks, { ...options, seed, signal: ended.signal }, say)
    for (const line of textOf(figures)) say(line)
  } catch (error) {
    checks.check('the run came to its end', false, () => wordsOf(error))
  }
  const { passed, failed } = checks
  process.stdout.write(
    json ? `${JSON.stringify({ proof: 'upgrade', seed, passed, failed, ...figures })}\n` : `${passed} passed, ${failed} failed\n`,
  )
  if (failed > 0) process.exitCode = 1
}

/** Shows the stack of an internal error, and only the message if a program is not installed. */
function wordsOf(error: unknown): string {
  if (error instanceof EngineMissingError || error instanceof NotBuiltError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
