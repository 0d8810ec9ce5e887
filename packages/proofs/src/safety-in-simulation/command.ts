import { JSON_OPTION } from '@gantt/cli/for-proofs'
import type { Command } from 'commander'
import { wholeNumber } from '../whole-number.ts'
import { simulate } from './simulate.ts'

interface Options {
  readonly seeds: number
  readonly from: number
  readonly replicas: number
  readonly json?: true
}

/** `gantt simulate-faults`: checks what the service promises, under every fault that a simulation can have. */
export function addSimulate(program: Command): void {
  program
    .command('simulate-faults')
    .description('run replicas, store, network and clients in one process under faults, and check every promise after every step')
    .option('--seeds <n>', 'number of simulations to run, each with its own seed', wholeNumber(1, 1_000_000), 200)
    .option('--from <n>', 'seed of the first simulation', wholeNumber(0, 1_000_000_000), 1)
    .option('--replicas <n>', 'number of replicas in each simulation', wholeNumber(1, 8), 3)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nThe same seed and number of replicas give the same simulation:\nrun a failed simulation again with --from SEED --seeds 1.',
    )
    .action(run)
}

async function run({ seeds, from, replicas, json }: Options): Promise<void> {
  const say = (line: string): void => void process.stderr.write(`${line}\n`)
  const started = performance.now()
  let reportedAt = started
  const { failures, passed, ...sums } = await simulate({
    seeds,
    from,
    replicas,
    onWorld(seed) {
      if (performance.now() - reportedAt < 5_000) return
      reportedAt = performance.now()
      say(`${seed - from + 1} of ${seeds} simulations`)
    },
  })
  const seconds = Math.round((performance.now() - started) / 100) / 10
  for (const { seed, violations, actions } of failures) {
    say(`seed ${seed} failed:`)
    for (const violation of violations) say(`  ${violation}`)
    say(`  the shortest list of actions that still fails (${actions.length}):`)
    for (const { at, what, a, b, c } of actions) say(`    ${at} ms ${what} ${a} ${b} ${c}`)
  }
  if (failures.length + passed < seeds)
    say(`stopped after ${failures.length} failures; ${seeds - passed - failures.length} simulations were not run`)
  const { entries, placed, refused, unknown, voids } = sums
  say(
    `${entries} entries, ${placed} placed, ${refused} refused, ${unknown} calls with an unknown outcome, ${voids} proposals without effect; in ${seconds} s`,
  )
  const failed = failures.length
  process.stdout.write(
    json
      ? `${JSON.stringify({ passed, failed, seconds, ...sums, failedSeeds: failures.map(({ seed }) => seed) })}\n`
      : `${passed} passed, ${failed} failed\n`,
  )
  if (failed > 0) process.exitCode = 1
}
