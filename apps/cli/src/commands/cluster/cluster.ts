import { type Command, Option } from 'commander'
import { wholeNumber } from '../../options/values.ts'
import { JSON_OPTION, run, withExamples } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import type { ClusterFlags, UpFlags } from './flags.ts'
import { ENGINES, MAX_REPLICAS } from './plan.ts'

/** `gantt cluster`: a distributed installation on this machine, to try out failures of its processes. */
export function addCluster(program: Command): void {
  const cluster = program.command('cluster').description('a distributed installation on this machine, for trials (docs/cluster.md)')
  const add = (words: string, description: string): Command =>
    cluster
      .command(words)
      .description(description)
      .option('--dir <folder>', 'folder of the cluster (default: cluster, below the folder of "gantt serve")', notEmpty)

  const up = add('up', 'start replicas and their stores, or those that are missing; they keep running after this command')
    .addOption(
      new Option('--engine <name>', 'store of the log: three nats-servers, or PostgreSQL (default at first: nats)').choices(ENGINES),
    )
    .option('--replicas <n>', `number of replicas, 1 to ${MAX_REPLICAS} (default at first: 3)`, wholeNumber(1, MAX_REPLICAS))
    .option('--port <n>', 'of the first replica, the others follow (default: free ones, the same at each start)', wholeNumber(1, 65_535))
    .option('--foreground', 'stay until Ctrl-C, then take the cluster down')
    .option(...JSON_OPTION)
    .action(async (flags: UpFlags) => (await load()).up(flags))
  withExamples(up, [
    ['gantt cluster up', 'start three nats-servers and three replicas'],
    ['gantt cluster up --engine postgres --replicas 2 --dir ./two', 'start a second cluster at the same time, with its log in PostgreSQL'],
    ['gantt cluster up', 'after a process was killed: start only the missing process'],
  ])

  const status = add('status', 'every process: pid, address, health, how far behind; exits with 1 if one is not healthy')
    .option(...JSON_OPTION)
    .action((flags: ClusterFlags) => run(flags, async () => (await load()).status(flags)))
  withExamples(status, [['gantt cluster status --json', 'for a script']])

  const kill = add(
    'kill <process>',
    'kill -9 of one process, by the name that "status" shows, or leader: the nats-server that leads the log',
  )
    .option(...JSON_OPTION)
    .action((name: string, flags: ClusterFlags) => run(flags, async () => (await load()).kill(name, flags)))
  withExamples(kill, [
    ['gantt cluster kill replica-2', 'kill a replica: the others continue, and "up" restarts it'],
    ['gantt cluster kill leader', 'kill the leader of the log: the other nats-servers elect a new one'],
  ])

  const environment = add('env [replica]', 'address and key of a replica, for the shell (default: the first that runs)')
    .option(...JSON_OPTION)
    .action((name: string | undefined, flags: ClusterFlags) => run(flags, async () => (await load()).env(name, flags)))
  withExamples(environment, [['eval "$(gantt cluster env replica-2)"', 'make the next commands in this shell call this replica']])

  const down = add('down', 'stop every process; their data stays for the next "up"')
    .option('--purge', 'remove their data too')
    .option(...JSON_OPTION)
    .action((flags: ClusterFlags & { readonly purge?: true }) => run(flags, async () => (await load()).down(flags)))
  withExamples(down, [['gantt cluster down --purge', 'stop everything and remove its data']])
}

/** Loaded on demand, so that the other commands start without loading the server. */
const load = () => import('./run.ts')
