import { type Command, Option } from 'commander'
import { wholeNumber } from '../../options/values.ts'
import { JSON_OPTION, run, withExamples } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import type { ClusterFlags, UpFlags } from './flags.ts'
import { ENGINES, MAX_REPLICAS } from './plan.ts'

/** `gantt cluster`: a distributed installation on this machine, to try out failures of its processes. */
export function addCluster(program: Command): void {
  const cluster = program.command('cluster').description('run a distributed installation on this machine, for trials (docs/cluster.md)')
  const add = (words: string, description: string): Command =>
    cluster
      .command(words)
      .description(description)
      .option('--dir <folder>', 'data folder of the cluster (default: cluster, below the data folder of "gantt serve")', notEmpty)

  const up = add('up', 'start the replicas and stores that are not running; they keep running after this command')
    .addOption(
      new Option(
        '--engine <name>',
        'engine that stores the log: three nats-servers, or PostgreSQL (default of a new cluster: nats)',
      ).choices(ENGINES),
    )
    .option('--replicas <n>', `number of replicas, 1 to ${MAX_REPLICAS} (default of a new cluster: 3)`, wholeNumber(1, MAX_REPLICAS))
    .option(
      '--port <n>',
      'port of the first replica; the other replicas use the ports after it (default: free ports, the same at each start)',
      wholeNumber(1, 65_535),
    )
    .option('--foreground', 'keep running until Ctrl-C, then stop the cluster')
    .option(...JSON_OPTION)
    .action(async (flags: UpFlags) => (await load()).up(flags))
  withExamples(up, [
    ['gantt cluster up', 'start three nats-servers and three replicas'],
    ['gantt cluster up --engine postgres --replicas 2 --dir ./two', 'start a second cluster at the same time, with its log in PostgreSQL'],
    ['gantt cluster up', 'after a process was killed: start only the missing process'],
  ])

  const status = add('status', 'show the pid, address, health and lag of every process; exits with 1 if a process is not healthy')
    .option(...JSON_OPTION)
    .action((flags: ClusterFlags) => run(flags, async () => (await load()).status(flags)))
  withExamples(status, [['gantt cluster status --json', 'print the status as JSON, for a script']])

  const kill = add(
    'kill <process>',
    'send kill -9 to a process, named as "status" shows it; "leader" means the nats-server that leads the log',
  )
    .option(...JSON_OPTION)
    .action((name: string, flags: ClusterFlags) => run(flags, async () => (await load()).kill(name, flags)))
  withExamples(kill, [
    ['gantt cluster kill replica-2', 'kill a replica: the others continue, and "up" restarts it'],
    ['gantt cluster kill leader', 'kill the leader of the log: the other nats-servers elect a new one'],
  ])

  const environment = add(
    'env [replica]',
    'print shell commands that set GANTT_URL and GANTT_KEY, so that the next commands in the shell call this replica (default: the first running one)',
  )
    .option(...JSON_OPTION)
    .action((name: string | undefined, flags: ClusterFlags) => run(flags, async () => (await load()).env(name, flags)))
  withExamples(environment, [['eval "$(gantt cluster env replica-2)"', 'make the next commands in this shell call this replica']])

  const down = add('down', 'stop every process; the data is kept for the next "up"')
    .option('--purge', 'also delete the data')
    .option(...JSON_OPTION)
    .action((flags: ClusterFlags & { readonly purge?: true }) => run(flags, async () => (await load()).down(flags)))
  withExamples(down, [['gantt cluster down --purge', 'stop everything and remove its data']])
}

/** Loaded on demand, so that the other commands start without loading the server. */
const load = () => import('./run.ts')
