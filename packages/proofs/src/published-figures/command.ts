import { JSON_OPTION } from '@gantt/cli/for-proofs'
import { FaultError, ProtocolError, UnreachableError } from '@gantt/client'
import type { Command } from 'commander'
import { readHuaweiEpisodes } from './huawei/episodes.ts'
import { runHuaweiFill } from './huawei/fill.ts'
import { readHuaweiVms } from './huawei/vms.ts'
import { runHuaweiWait } from './huawei/wait.ts'
import { readOpenbNodes } from './openb/nodes.ts'
import { runOpenb } from './openb/openb.ts'
import { readOpenbPods } from './openb/pods.ts'
import { openbReport, problemsOf } from './openb/report.ts'
import { BadInputError, count, oneOf, percent, positive } from './options.ts'
import { releaseProfiles } from './profile-parts.ts'
import { openProgress } from './progress.ts'
import { RemoteError } from './remote/remote.ts'
import { collectServers, findTargets } from './remote/servers.ts'
import { print, type Report } from './report.ts'
import { TraceError } from './trace-file.ts'

const huaweiProfiles = [...releaseProfiles, 'best-fit-host']

interface Common {
  readonly profile: string
  readonly json?: true
}

/** `gantt replay`: replays real traces with the same code that decides in the service. */
export function addReplay(program: Command): void {
  const replay = program.command('replay').description('replay a trace of real requests, and show the figure that is published for it')
  exitWith2(replay)

  replay
    .command('huawei-wait')
    .description('Huawei-East-1: how long all VMs together wait on a few hosts, first come, first served')
    .requiredOption('--vms <file>', 'the VMs: vms.csv.gz')
    .requiredOption('--episodes <file>', 'where episodes begin: episodes.json')
    .option('--set <name>', 'key of the set of episodes in the file of --episodes', 'test_1000')
    .option('--first <n>', 'only the first n episodes of the set', count)
    .option('--hosts <n>', 'number of hosts', count, 5)
    .requiredOption('--profile <name>', 'profile that decides', oneOf(huaweiProfiles))
    .option('--seed <text>', 'seed of random choices', '1')
    .option(...JSON_OPTION)
    .action((options: Common & WaitFlags) => run(options, huaweiWait))

  replay
    .command('huawei-fill')
    .description('Huawei-East-1: how many VMs of the whole trace are rejected with a fixed number of hosts')
    .requiredOption('--vms <file>', 'the VMs: vms.csv.gz')
    .option('--hosts <n>', 'number of hosts', count, 43)
    .requiredOption('--profile <name>', 'profile that decides', oneOf(huaweiProfiles))
    .option('--seed <text>', 'seed of random choices', '1')
    .option(...JSON_OPTION)
    .action((options: Common & FillFlags) => run(options, huaweiFill))

  replay
    .command('openb')
    .description('OpenB: which share of the GPUs is allocated when pods request 130 % of them')
    .requiredOption('--nodes <file>', 'the nodes: nodes.csv.gz')
    .requiredOption('--pods <file>', 'the pods: pods_<list>.csv.gz')
    .requiredOption('--profile <name>', 'profile that decides', oneOf(releaseProfiles))
    .option('--seeds <n>', 'number of runs, each with its own order of the pods', count, 1)
    .option('--seed <n>', 'seed of the first run; each further run uses the next number', positive, 1)
    .option('--scale <n>', 'number of copies of the nodes and of the list of pods', count, 1)
    .option('--cpu-nodes', 'also use nodes without GPUs')
    .option('--departures <percent>', 'percentage of the pods that are removed again', percent, 0)
    .option(
      '--server <urls>',
      'use a running service instead of deciding in this process: the URLs of its replicas, separated by commas; may be repeated to compare several services',
      collectServers,
    )
    .option('--key <key>', "the service's key, or one for each --server; or set GANTT_ADMIN_KEY", collectServers)
    .option(
      '--concurrency <n>',
      'number of concurrent calls; a call waits for all calls that are at least this many positions earlier',
      count,
      1,
    )
    .option(...JSON_OPTION)
    .action((options: Common & OpenbFlags) => run(options, openb))
}

interface WaitFlags {
  readonly vms: string
  readonly episodes: string
  readonly set: string
  readonly first?: number
  readonly hosts: number
  readonly profile: string
  readonly seed: string
}

async function huaweiWait({ vms: vmsFile, episodes, set, first, hosts, profile, seed }: WaitFlags): Promise<Report> {
  const vms = readHuaweiVms(vmsFile)
  const starts = readHuaweiEpisodes(episodes, set).slice(0, first)
  const progress = openProgress('episodes', starts.length)
  const result = await runHuaweiWait({ vms, starts, hosts, profile, seed, onEpisode: progress.step }).finally(progress.close)
  return {
    title: `Huawei-East-1, ${starts.length} episodes of ${set} on ${hosts} hosts, ${profile}`,
    rows: [
      ['total wait, 10 % trimmed mean', [result.trimmedMeanWaitSeconds], 's'],
      ['total wait, mean', [result.meanWaitSeconds], 's'],
      ['VMs placed', [result.vms], ''],
    ],
    figures: { replay: 'huawei-wait', set, hosts, profile, seed, ...result },
  }
}

interface FillFlags {
  readonly vms: string
  readonly hosts: number
  readonly profile: string
  readonly seed: string
}

async function huaweiFill({ vms: vmsFile, hosts, profile, seed }: FillFlags): Promise<Report> {
  const vms = readHuaweiVms(vmsFile)
  const progress = openProgress('VMs', vms.length)
  const result = await runHuaweiFill({ vms, hosts, profile, seed, onVm: progress.step }).finally(progress.close)
  return {
    title: `Huawei-East-1, ${vms.length} VMs on ${hosts} hosts, ${profile}`,
    rows: [
      ['VMs rejected', [result.rejected], 'VMs'],
      ['vCPUs of these VMs', [result.rejectedVcpus], 'vCPU'],
      ['most hosts in use at once', [result.peakHosts], 'hosts'],
    ],
    figures: { replay: 'huawei-fill', hosts, profile, seed, ...result },
  }
}

interface OpenbFlags {
  readonly nodes: string
  readonly pods: string
  readonly profile: string
  readonly seeds: number
  readonly seed: number
  readonly scale: number
  readonly cpuNodes?: true
  readonly departures: number
  readonly server?: readonly string[]
  readonly key?: readonly string[]
  readonly concurrency: number
}

/** At most this many violations are listed. Further violations are only counted. */
const LISTED = 10

async function openb(flags: OpenbFlags): Promise<Report> {
  const { nodes: nodesFile, profile, seeds, seed: first, scale, cpuNodes, server = [], concurrency, departures } = flags
  const nodes = readOpenbNodes(nodesFile).filter(({ gpus }) => cpuNodes === true || gpus > 0)
  if (nodes.length === 0) throw new BadInputError(`--nodes: no node of ${nodesFile} has a GPU; there must be at least one`)
  const pods = readOpenbPods(flags.pods)
  const { GANTT_ADMIN_KEY: fromEnvironment } = process.env
  const targets = await findTargets(server, flags.key ?? (fromEnvironment === undefined ? [] : [fromEnvironment]))
  const columns: { name: string; runs: Awaited<ReturnType<typeof runOpenb>>[] }[] = []
  const progress = openProgress('pods', 0)
  try {
    for (const [at, { name, createDriver }] of targets.entries()) {
      const runs = []
      for (let seed = first; seed < first + seeds; seed++) {
        const onPods = (done: number, of: number) => progress.show((at * seeds + seed - first) * of + done, targets.length * seeds * of)
        runs.push(await runOpenb({ nodes, pods, profile, scale, seed, concurrency, departures, createDriver, onPods }))
      }
      columns.push({ name, runs })
    }
  } finally {
    progress.close()
  }
  const problems = problemsOf(columns, LISTED)
  for (const found of problems) process.stderr.write(`${found}\n`)
  if (problems.length > 0) process.exitCode = 1
  const gpus = columns[0]?.runs[0]?.gpus ?? 0
  return openbReport(
    `OpenB, ${scale * nodes.length} nodes, ${gpus} GPUs, ${profile}, ${concurrency} at once, ${columns.map(({ name }) => name).join('; ')}`,
    columns,
    {
      replay: 'openb',
      profile,
      scale,
      nodes: scale * nodes.length,
      concurrency,
      departures,
      driver: server.length === 0 ? 'in-process' : 'server',
    },
  )
}

/**
 * Runs a replay and prints the result. An error that the caller can correct is printed as a message. The exit code is 2 for bad input, and
 * 1 for all other errors.
 */
async function run<Flags extends { readonly json?: true }>(flags: Flags, replay: (flags: Flags) => Promise<Report>): Promise<void> {
  const startedAt = performance.now()
  try {
    const report = await replay(flags)
    print(report, Math.round(performance.now() - startedAt), flags.json === true)
  } catch (error) {
    const isBadInput = error instanceof TraceError || error instanceof BadInputError
    const isRemote =
      error instanceof RemoteError || error instanceof UnreachableError || error instanceof FaultError || error instanceof ProtocolError
    if (!isBadInput && !isRemote) throw error
    process.stderr.write(`error: ${error.message}\n`)
    process.exitCode = isBadInput ? 2 : 1
  }
}

/** Sets the exit code of invalid options to 2, as for the other commands. By default the library commander uses 1. */
function exitWith2(command: Command): void {
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
}
