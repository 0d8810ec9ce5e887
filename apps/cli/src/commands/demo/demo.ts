import path from 'node:path'
import { ProtocolError, UnreachableError } from '@gantt/client'
import { type Command, InvalidArgumentError } from 'commander'
import { wholeNumber } from '../../options/values.ts'
import { note, withExamples } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import { DemoError } from './api.ts'
import { openDemoFolder } from './folder.ts'
import { runDemo } from './run.ts'

export const DEMO_PORT = 4000

interface Flags {
  readonly hosts: number
  readonly rate: number
  readonly seed: string
  readonly port?: number
  readonly dataDir?: string
  readonly once?: true
}

/** `gantt demo`: a service with a fleet of simulated hosts, to try out the console and the commands. */
export function addDemo(program: Command): void {
  const demo = program
    .command('demo')
    .description('run a service with a demo fleet and a stream of requests, and print where to look first')
    .option('--hosts <n>', 'number of hosts in the fleet', wholeNumber(1, 100_000), 200)
    .option('--rate <n>', 'requests per second, 0 to 100', perSecond, 2)
    .option('--seed <text>', 'seed from which the fleet and the requests are generated', notEmpty, '1')
    .option('--port <n>', `port of the service, 0 for any free port; or set PORT (default: ${DEMO_PORT})`, wholeNumber(0, 65_535))
    .option('--data-dir <folder>', 'data folder of the demo (default: demo, below the data folder of "gantt serve")', notEmpty)
    .option('--once', 'start without the stream of requests, so that the fleet does not change')
    .action(startDemo)
  withExamples(demo, [
    ['gantt demo', '200 hosts, two requests per second'],
    ['gantt demo --hosts 10000 --once', 'a large fleet without further requests'],
    ['gantt demo --data-dir ./my-demo --port 0', 'run a second demo at the same time'],
  ])
}

function perSecond(text: string): number {
  const value = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (value <= 100) return value
  throw new InvalidArgumentError('It must be a number of 0 to 100.')
}

async function startDemo({ hosts, rate, seed, port, dataDir, once }: Flags): Promise<void> {
  // Loaded on demand, so that the other commands start without loading the server.
  const { defaultStateDir, openStateDir, runService } = await import('@gantt/server')
  try {
    // The folder is created here, because the demo may run before the first service.
    const data = dataDir === undefined ? path.join(openStateDir(defaultStateDir()).root, 'demo') : path.resolve(dataDir)
    const { HOST, PORT, GANTT_ADMIN_KEY } = process.env
    const folder = openDemoFolder(data, GANTT_ADMIN_KEY?.trim() || undefined)
    const progress = createProgress()
    await runService({
      environment: {
        ...(HOST === undefined ? {} : { HOST }),
        PORT: String(port ?? (PORT || DEMO_PORT)),
        GANTT_DATA_DIR: data,
        GANTT_ADMIN_KEY: folder.key,
        GANTT_LIVENESS: 'reports',
      },
      say: note,
      aloneOr: `Another demo runs on ${data}. Stop it first, or choose another folder with --data-dir.`,
      portSetting: '--port',
      async use({ url }, stopped) {
        folder.keepKey()
        await runDemo({
          url,
          folder,
          hosts,
          rate: once ? 0 : rate,
          seed,
          stopped,
          say: progress.say,
          show: progress.show,
          announce: (lines) => void process.stdout.write(`\n${lines.join('\n')}\n`),
        }).catch(fail)
      },
    })
  } catch (error) {
    fail(error)
  }
}

/** Prints an error that the user can correct as one line. Any other error is a defect and is printed with its stack. */
function fail(error: unknown): void {
  const isKnown =
    error instanceof DemoError ||
    error instanceof UnreachableError ||
    error instanceof ProtocolError ||
    (error instanceof Error && 'code' in error)
  note(`error: ${error instanceof Error ? (isKnown ? error.message : error.stack) : String(error)}`)
  process.exitCode = 1
}

/** Shows the progress of the hosts' first reports in one line that is removed at the end; on a terminal only. */
function createProgress() {
  const clear = process.stderr.isTTY ? '\r\u001b[K' : ''
  return {
    say: (line: string): void => note(`${clear}${line}`),
    show(reported: number, of: number): void {
      if (process.stderr.isTTY) process.stderr.write(`\r${reported} of ${of} hosts have reported`)
    },
  }
}
