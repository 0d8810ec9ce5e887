import { JSON_OPTION } from '@gantt/cli/for-proofs'
import { type Command, Option } from 'commander'
import { createChecks } from '../checks.ts'
import { wholeNumber } from '../whole-number.ts'
import { EngineMissingError } from './engine.ts'
import { type EngineName, engines } from './engines/index.ts'
import { linesOf } from './report.ts'
import { runNemesis } from './run.ts'

interface Options {
  readonly engine: EngineName
  readonly seconds: number
  readonly replicas: number
  readonly clients: number
  readonly seed?: string
  readonly only?: readonly string[]
  readonly json?: true
}

/** `gantt nemesis`: runs real processes under real faults, and checks what the service promises only by the answers that callers got. */
export function addNemesis(program: Command): void {
  program
    .command('nemesis')
    .description('run replicas and a database under load and faults, and judge the histories of the callers')
    .addOption(new Option('--engine <name>', 'engine that stores the log').choices(Object.keys(engines)).default('postgres'))
    .option('--seconds <n>', 'time for which faults are injected, in seconds', wholeNumber(1, 86_400), 60)
    .option('--replicas <n>', 'number of service processes', wholeNumber(1, 16), 3)
    .option('--clients <n>', 'number of callers', wholeNumber(1, 256), 16)
    .option('--seed <text>', 'seed from which the calls and the faults are drawn, though not their timing; random if not given')
    .option('--only <faults...>', 'only these faults, by their names, in this order')
    .option(...JSON_OPTION)
    .action(async ({ engine, seconds, replicas, clients, seed = String(Date.now() % 1_000_000), only, json }: Options) => {
      const say = (line: string): void => void process.stderr.write(`${line}\n`)
      const checks = createChecks(say)
      say(`nemesis: engine ${engine}, ${replicas} replicas, ${clients} clients, ${seconds} s, seed ${seed}`)
      const ended = new AbortController()
      // A signal ends everything that the run started, and unmounts its disks.
      const end = (name: NodeJS.Signals): void => ended.abort(new Error(`ended by ${name}`))
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, end)
      let figures: Awaited<ReturnType<typeof runNemesis>> | undefined
      try {
        figures = await runNemesis(
          checks,
          { engine, seconds, replicas, clients, seed, signal: ended.signal, ...(only === undefined ? {} : { faults: only }) },
          say,
        )
        for (const line of linesOf(figures)) say(line)
      } catch (error) {
        checks.check('the run came to its end', false, () => wordsOf(error))
      }
      const { passed, failed } = checks
      process.stdout.write(json ? `${JSON.stringify({ seed, passed, failed, ...figures })}\n` : `${passed} passed, ${failed} failed\n`)
      if (failed > 0) process.exitCode = 1
    })
}

/** The text of an error: a defect with its location, or the message about a missing program. */
function wordsOf(error: unknown): string {
  if (error instanceof EngineMissingError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
