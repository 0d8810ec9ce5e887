import { JSON_OPTION } from '@gantt/cli/for-proofs'
import type { Command } from 'commander'
import { type Checks, createChecks } from '../checks.ts'
import { endedBySignals } from '../processes/ended-run.ts'
import { addRecovery } from '../recovery-time/command.ts'
import { addUpgrade } from '../upgrade-safety/command.ts'
import { wholeNumber } from '../whole-number.ts'
import { proveFuzz, SILENT_MS } from './fuzz.ts'
import { proveGroups } from './groups.ts'
import { proveIdempotency } from './idempotency.ts'
import { provePauses } from './pauses.ts'
import { proveRace } from './race.ts'
import { proveReplay } from './replay.ts'
import { proveRestart } from './restart.ts'
import { proveSurvive } from './survive.ts'
import { proveTruth } from './truth.ts'

const count = wholeNumber(1, 1_000_000)
const fromZero = wholeNumber(0, 1_000_000)

/**
 * `gantt prove ...`: tests what the service promises with real processes and a real database, each run in its own folder. The proof `truth`
 * needs no processes and no database.
 */
export function addProve(program: Command): void {
  const prove = program
    .command('prove')
    .description('show that the promises hold, with real processes and a real database, or in comparison with a model')
  prove
    .command('race')
    .description('let two processes and eight clients race for the last unit of a small host: nothing is allocated twice')
    .option('--rounds <n>', 'number of races to run', count, 200)
    .option(...JSON_OPTION)
    .action(({ rounds, json }: { rounds: number; json?: true }) => run('race', json, (checks) => proveRace(checks, { rounds })))
  prove
    .command('idempotency')
    .description(
      'send the same idempotency key twice (to two processes, across a restart, after a lost answer): there is one claim and one answer',
    )
    .option('--rounds <n>', 'number of repetitions of each case', count, 20)
    .option(...JSON_OPTION)
    .action(({ rounds, json }: { rounds: number; json?: true }) =>
      run('idempotency', json, (checks) => proveIdempotency(checks, { rounds })),
    )
  prove
    .command('survive')
    .description('send kill -9 to service and database at once: every acknowledged claim exists after a restart')
    .option('--rounds <n>', 'number of times that both are killed', count, 10)
    .option(...JSON_OPTION)
    .action(({ rounds, json }: { rounds: number; json?: true }) =>
      run('survive', json, (checks) => proveSurvive(checks, { rounds, say: (line) => void process.stderr.write(`${line}\n`) })),
    )
  prove
    .command('groups')
    .description(
      'let sixteen callers place into one server group at once, and live-migrate two members at once: the policy of the group is never violated',
    )
    .option('--rounds <n>', 'number of groups to fill', count, 500)
    .option(...JSON_OPTION)
    .action(({ rounds, json }: { rounds: number; json?: true }) => run('groups', json, (checks) => proveGroups(checks, { rounds })))
  prove
    .command('replay')
    .description('replay every stored decision of a concurrent run: each result is equal bit for bit')
    .option('--requests <n>', 'number of requests in the run', count, 2_000)
    .option(...JSON_OPTION)
    .action(({ requests, json }: { requests: number; json?: true }) => run('replay', json, (checks) => proveReplay(checks, { requests })))
  prove
    .command('restart')
    .description('measure how long a restart and the joining of a second replica take with a large fleet')
    .option('--hosts <n>', 'number of hosts in the fleet', count, 10_000)
    .option('--claims <n>', 'number of claims on these hosts', count, 100_000)
    .option(...JSON_OPTION)
    .action(({ hosts, claims, json }: { hosts: number; claims: number; json?: true }) =>
      run('restart', json, (checks) => proveRestart(checks, { hosts, claims, say: (line) => void process.stderr.write(`${line}\n`) })),
    )
  prove
    .command('pauses')
    .description('measure the longest time for which each slow query on a large fleet delays all other calls')
    .option('--hosts <n>', 'number of hosts in the fleet', count, 10_000)
    .option('--claims <n>', 'number of claims on these hosts', count, 5_000)
    .option('--rounds <n>', 'number of times that each query is sent', count, 3)
    .option('--only <text>', 'only queries whose names contain this text')
    .option(...JSON_OPTION)
    .action(({ json, ...options }: { hosts: number; claims: number; rounds: number; only?: string; json?: true }) =>
      run('pauses', json, (checks) =>
        provePauses(checks, { only: undefined, ...options, say: (line) => void process.stderr.write(`${line}\n`) }),
      ),
    )
  prove
    .command('fuzz')
    .description('send random documents, reports and filters to a large fleet: none ends in INTERNAL, and /live always answers in time')
    .option('--documents <n>', 'number of calls to make', count, 50_000)
    .option('--hosts <n>', 'number of hosts in the fleet', count, 10_000)
    .option('--claims <n>', 'number of claims on these hosts', count, 5_000)
    .option('--callers <n>', 'number of concurrent callers that read', count, 4)
    .option('--seed <n>', 'the same seed gives the same documents', count, 1)
    .option('--from <n>', 'number of the first document', fromZero, 0)
    .option(...JSON_OPTION)
    .action(
      ({
        json,
        ...options
      }: {
        documents: number
        hosts: number
        claims: number
        callers: number
        seed: number
        from: number
        json?: true
      }) =>
        run('fuzz', json, (checks) =>
          proveFuzz(checks, { ...options, silentMs: SILENT_MS, say: (line) => void process.stderr.write(`${line}\n`) }),
        ),
    )
  addRecovery(prove, count)
  addUpgrade(prove, count)
  prove
    .command('truth')
    .description(
      'decide random requests on random fleets: record, replay and explanation agree bit for bit with a model that shares no code',
    )
    .option('--cases <n>', 'number of cases to decide', count, 10_000)
    .option('--seed <n>', 'the same seed gives the same cases', count, 1)
    .option('--from <n>', 'number of the first case', fromZero, 0)
    .option(...JSON_OPTION)
    .action(({ json, ...options }: { cases: number; seed: number; from: number; json?: true }) =>
      run('truth', json, async (checks) => proveTruth(checks, { ...options, say: (line) => void process.stderr.write(`${line}\n`) })),
    )
}

const run = (name: string, json: true | undefined, proof: (checks: Checks) => Promise<void>): Promise<void> =>
  endedBySignals((isEnded) => runOnce(name, json, proof, isEnded))

/** Runs a proof and prints its result. If a signal ends the run, nothing more is printed, because all calls fail then. */
async function runOnce(
  name: string,
  json: true | undefined,
  proof: (checks: Checks) => Promise<void>,
  isEnded: () => boolean,
): Promise<void> {
  const say = (line: string): void => {
    if (!isEnded()) process.stderr.write(`${line}\n`)
  }
  const started = performance.now()
  const checks = createChecks(say)
  say(`prove ${name}`)
  try {
    await proof(checks)
  } catch (error) {
    checks.check('the proof ran to its end', false, () => (error instanceof Error ? (error.stack ?? error.message) : String(error)))
  }
  if (isEnded()) return
  const seconds = Math.round((performance.now() - started) / 100) / 10
  say(`in ${seconds} s`)
  const { passed, failed } = checks
  process.stdout.write(json ? `${JSON.stringify({ proof: name, passed, failed, seconds })}\n` : `${passed} passed, ${failed} failed\n`)
  if (failed > 0) process.exitCode = 1
}
