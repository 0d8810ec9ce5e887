import { JSON_OPTION } from '@gantt/cli/for-proofs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { createChecks } from '../checks.ts'
import { endedBySignals } from '../processes/ended-run.ts'
import { wholeNumber } from '../whole-number.ts'
import { type Mix, workKinds } from './calls.ts'
import { linesOf } from './report.ts'
import { runLoad } from './run.ts'

const USUAL_MIX = 'select=45,claim=5,release=45,report=5'

/** Reads shares such as `select=45,report=5`. A kind that is not named has the share 0. */
export function readMix(text: string): Mix {
  const mix = { select: 0, claim: 0, release: 0, report: 0, heartbeat: 0 }
  for (const part of text.split(',')) {
    const [, kind, share] = /^(\w+)=(\d{1,3})$/.exec(part) ?? []
    const known = workKinds.find((one) => one === kind)
    if (known === undefined) throw new InvalidArgumentError(`${part} must be KIND=SHARE, with one of the kinds ${workKinds.join(', ')}.`)
    mix[known] = Number(share)
  }
  if (workKinds.every((kind) => mix[kind] === 0)) throw new InvalidArgumentError('At least one share must be above 0.')
  return mix
}

interface Options {
  readonly hosts: number
  readonly callers: number
  readonly batch: number
  readonly operations: number
  readonly seconds: number
  readonly warmUp: number
  readonly floor: number
  readonly mix: Mix
  readonly seed: string
  readonly json?: true
}

/** `gantt loadtest`: measures what a service does in a second, and what each call costs. */
export function addLoadtest(program: Command): void {
  program
    .command('loadtest')
    .description('place, claim, release and report with many callers: print rates, latencies and costs, and check the state afterwards')
    .option('--hosts <n>', 'number of hosts in the fleet', wholeNumber(1, 1_000_000), 10_000)
    .option('--callers <n>', 'number of callers, each with a connection of its own', wholeNumber(1, 1_024), 64)
    .option('--batch <n>', 'number of hosts in each report and each heartbeat', wholeNumber(1, 1_000), 1)
    .option('--operations <n>', 'number of operations that a caller sends in one request', wholeNumber(1, 64), 1)
    .option('--seconds <n>', 'time for which calls are counted, in seconds', wholeNumber(1, 86_400), 30)
    .option('--warm-up <n>', 'time for which calls are made before they are counted, in seconds', wholeNumber(0, 3_600), 10)
    .option(
      '--floor <n>',
      'time for which a plain server is called for comparison, in seconds; 0 for no comparison',
      wholeNumber(0, 600),
      5,
    )
    .addOption(new Option('--mix <shares>', 'what callers do, in shares').argParser(readMix).default(readMix(USUAL_MIX), USUAL_MIX))
    .option('--seed <text>', 'the same seed gives the same calls, though not their timing', '1')
    .option(...JSON_OPTION)
    .action(({ json, warmUp, floor, ...options }: Options) => {
      const { hosts, mix, batch } = options
      const callers = options.callers * options.operations
      if (mix.report + mix.heartbeat > 0 && hosts < callers * batch)
        program.error(
          `error: --hosts ${hosts} is less than ${callers} operations at the same time with --batch ${batch}; each reports hosts of its own`,
          { exitCode: 2 },
        )
      return endedBySignals(async (isEnded) => {
        const say = (line: string): void => void process.stderr.write(`${line}\n`)
        const checks = createChecks(say)
        const figures = await runLoad(checks, { ...options, warmUpSeconds: warmUp, floorSeconds: floor, say })
        if (isEnded()) return
        const { passed, failed } = checks
        if (json) process.stdout.write(`${JSON.stringify({ passed, failed, ...figures })}\n`)
        else for (const line of [...linesOf(figures), `${passed} passed, ${failed} failed`]) process.stdout.write(`${line}\n`)
        if (failed > 0) process.exitCode = 1
      })
    })
}
