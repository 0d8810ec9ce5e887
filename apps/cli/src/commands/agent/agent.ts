import { isIP } from 'node:net'
import os from 'node:os'
import {
  type AgentEvent,
  checkClaims,
  collectAll,
  createMachineReporter,
  createSource,
  NotReportable,
  type Offer,
  overLimitLine,
  readPicture,
  reportCollectors,
  runAgent,
  toLine,
} from '@gantt/agent'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ConnectionFlags, connect, connectForLong, hasKey, toFailureOf } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { wholeNumber } from '../../options/values.ts'
import { note, type Result, run, withExamples, withService } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import { collectorsOf, outcomeJson, outcomeLine, shownUnsent, withCollected } from './collectors.ts'
import { runSimulatedFleet } from './fleet.ts'
import { archOf, readOfferedPci } from './machine.ts'
import { toPreview } from './preview.ts'
import { stopped } from './stop-signal.ts'

export interface AgentFlags extends ConnectionFlags {
  readonly name: string
  readonly interval: number
  readonly once?: true
  readonly print?: true
  readonly root: string
  readonly disk: string
  readonly container?: true
  readonly hostIp?: string
  readonly pci?: readonly Offer['pci'][number][]
  readonly reserveCpus: number
  readonly reserveMemoryMb: number
  readonly reserveDiskGb: number
  readonly cpuRatio: number
  readonly ramRatio: number
  readonly diskRatio: number
  readonly collectors?: string
  readonly fleet?: number
  readonly seconds?: number
  readonly changing: number
  readonly json?: true
}

/** `gantt agent`: reports this machine to the service; with --fleet, simulated machines. */
export function addAgent(program: Command): void {
  const agent = program
    .command('agent')
    .description('report the resources of this machine to the service at regular intervals (docs/agent.md)')
    .option(
      '--name <host>',
      'name of the host; with --fleet, the prefix of the names (default: the name of this machine; with --fleet, sim)',
      notEmpty,
    )
    .option('--interval <seconds>', 'seconds between two readings of the machine, 1 to 3600', wholeNumber(1, 3_600), 10)
    .option('--once', 'report once, check the claims on this host, and exit')
    .option('--print', 'print the hardware and the report, and send nothing')
    .option('--root <folder>', 'path of the root folder of the machine: /host in a container that mounts it there', notEmpty, '/')
    .option('--disk <folder>', 'a folder on the file system for the disks of instances', notEmpty, '/')
    .option('--container', 'the machine is a container: report the limits of its control groups')
    .option('--host-ip <address>', 'address of the host; not reported if not given', address)
    .option('--pci <device>', 'PCI devices for instances, VENDOR:PRODUCT[,TAG=VALUE]...; may be repeated', readOfferedPci)
    .option('--reserve-cpus <n>', 'CPUs reserved for the machine itself', wholeNumber(0, 65_536), 0)
    .option('--reserve-memory-mb <n>', 'memory reserved for the machine itself', wholeNumber(0, 67_108_864), 512)
    .option('--reserve-disk-gb <n>', 'disk reserved for the machine itself', wholeNumber(0, 1_073_741_824), 0)
    .option('--cpu-ratio <n>', 'allocation ratio of CPUs (overcommit)', ratio, 1)
    .option('--ram-ratio <n>', 'allocation ratio of memory (overcommit)', ratio, 1)
    .option('--disk-ratio <n>', 'allocation ratio of disk (overcommit)', ratio, 1)
    .option('--collectors <file>', 'settings of programs that collect documents of namespaces, JSON or TOML (docs/agent.md)', notEmpty)
    .addOption(
      new Option('--fleet <n>', 'simulate this many machines, 1 to 100000, instead of reporting this machine')
        .argParser(wholeNumber(1, 100_000))
        .conflicts(['once', 'print', 'collectors']),
    )
    .option('--seconds <n>', 'with --fleet: exit after this many seconds', wholeNumber(1, 86_400))
    .option('--changing <percent>', 'with --fleet: percentage of the reports that contain a change', wholeNumber(0, 100), 100)
    .action((flags: AgentFlags & { readonly name?: string }) => {
      const [ofFleet] = ['seconds', 'changing'].filter((name) => agent.getOptionValueSource(name) === 'cli')
      if (flags.fleet === undefined && ofFleet !== undefined)
        agent.error(`error: option '--${ofFleet}' belongs to a fleet; it must be given with '--fleet <n>', or left out`)
      return start(flags)
    })
  withExamples(withService(agent), [
    ['gantt agent --print', 'show what this machine would report'],
    ['gantt agent --reserve-memory-mb 4096 --cpu-ratio 4 --disk /var/lib/nova', 'report this machine every 10 s until SIGTERM'],
    ['gantt agent --print --collectors /etc/gantt/collectors.toml', 'run each collector once, and show what it produces'],
    ['gantt agent --fleet 2000 --seconds 60', 'simulate 2,000 machines for a minute, and show how long their reports took'],
  ])
}

function address(text: string): string {
  if (isIP(text) !== 0) return text
  throw new InvalidArgumentError('It must be an IPv4 or IPv6 address.')
}

function ratio(text: string): number {
  const value = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN
  if (value >= 0.001 && value <= 1_000) return value
  throw new InvalidArgumentError('It must be a number of 0.001 to 1000.')
}

function start(flags: AgentFlags & { readonly name?: string }): Promise<void> {
  if (flags.fleet !== undefined)
    return run(flags, () => runSimulatedFleet({ ...flags, name: flags.name ?? 'sim', fleet: flags.fleet ?? 0 }))
  const named = { ...flags, name: flags.name ?? os.hostname() }
  if (flags.print) return run(flags, () => preview(named))
  return run(flags, () => (flags.once ? reportOnce(named) : reportForLong(named)))
}

const lookOf = ({ root, disk, container }: AgentFlags) => {
  const source = createSource(root)
  const options = { arch: archOf(process.arch), diskFolder: disk, isContainer: container === true }
  return () => readPicture(source, options)
}

const offerOf = (flags: AgentFlags): Offer => ({
  nodeName: flags.name,
  hostIp: flags.hostIp,
  reserved: { cpus: flags.reserveCpus, memoryMb: flags.reserveMemoryMb, diskGb: flags.reserveDiskGb },
  ratios: { cpu: flags.cpuRatio, ram: flags.ramRatio, disk: flags.diskRatio },
  pci: flags.pci ?? [],
})

async function preview(flags: AgentFlags): Promise<Result> {
  // without a key, only the complete report is shown, because the fields that profiles need are not known
  const client = hasKey(flags) ? connect(flags) : undefined
  const collectors = collectorsOf(flags)
  try {
    const machine = await toPreview(lookOf(flags)(), offerOf(flags), client)
    return withCollected(machine, await collectAll(collectors ?? [], { host: flags.name }, stopped()))
  } catch (error) {
    throw error instanceof NotReportable ? new CommandFailure(EXIT.refused, error.message) : error
  }
}

async function reportOnce(flags: AgentFlags): Promise<Result> {
  const collectors = collectorsOf(flags)
  const gantt = connectForLong(flags)
  const look = lookOf(flags)
  const offer = offerOf(flags)
  const events: AgentEvent[] = []
  const { signal } = new AbortController()
  const name = { host: flags.name }
  const notify = (event: AgentEvent): void => void events.push(event)
  let required: readonly string[] | undefined
  const onRequired = (namespaces: readonly string[] | undefined): void => {
    required = namespaces
  }
  const machine = createMachineReporter({ gantt, name, offer, look, intervalMs: 30_000, notify, signal, onRequired })
  const isTaken = await machine.reportNow()
  if (!isTaken) {
    const refused = events.filter(({ event }) => event === 'refused').map(toLine)
    throw refused.length > 0 ? new CommandFailure(EXIT.refused, refused.join('\n')) : toFailureOf(flags, machine.lastError)
  }
  const { outcomes, unreported } =
    collectors === undefined
      ? { outcomes: [], unreported: undefined }
      : await reportCollectors({ gantt, name, settings: collectors, required, notify }, stopped())
  const check = await checkClaims(gantt, name, machine.picture, offer).catch((error: unknown) => {
    notify({ event: 'claims.unchecked', text: error instanceof Error ? error.message : String(error) })
    return undefined
  })
  const unsent = shownUnsent(flags, outcomes, unreported)
  const overLimits = check?.overLimits ?? []
  const fit = check !== undefined && overLimits.length === 0 ? [`Claims on this host: ${check.claims}, none over a limit.`] : []
  return {
    lines: [
      ...events.filter(({ event }) => event !== 'counts').map(toLine),
      ...unsent.outcomes.map(outcomeLine),
      ...(unsent.states === undefined ? [] : [`The states of the collectors were not reported: ${unsent.states}`]),
      ...overLimits.map(overLimitLine),
      ...fit,
    ],
    json: { events, claims: check ?? null, ...(outcomes.length > 0 && { collectors: unsent.outcomes.map(outcomeJson) }) },
    exitCode: unsent.exitCode ?? (overLimits.length > 0 || outcomes.some(({ type }) => type === 'failed') ? EXIT.refused : EXIT.done),
  }
}

async function reportForLong(flags: AgentFlags): Promise<Result> {
  const collectors = collectorsOf(flags)
  const gantt = connectForLong(flags)
  const stop = stopped()
  const notify = (event: AgentEvent): void => note(flags.json ? JSON.stringify({ at: new Date().toISOString(), ...event }) : toLine(event))
  await runAgent({
    gantt,
    name: { host: flags.name },
    offer: offerOf(flags),
    look: lookOf(flags),
    intervalMs: flags.interval * 1_000,
    notify,
    signal: stop,
    ...(collectors && { collectors }),
  })
  return { lines: ['The agent has stopped. The host stays in the fleet, without further reports.'], json: { stopped: true } }
}
