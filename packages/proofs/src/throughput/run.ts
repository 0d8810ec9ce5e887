import type { Checks } from '../checks.ts'
import { withFolder } from '../processes/folder.ts'
import { type Metrics, readMetrics } from '../processes/metrics.ts'
import { serverProcesses } from '../processes/server-processes.ts'
import { ADMIN_KEY, type Service, startService } from '../processes/service.ts'
import { checkAfterwards } from './afterwards.ts'
import { startSame, startWork } from './callers.ts'
import { type CallKind, type Mix, NOOP, reportCall, reportOf, workKinds } from './calls.ts'
import { startPlainServer } from './floor.ts'
import { processorMs } from './processor-time.ts'
import { createTally, type KindFigures, type Tally } from './tally.ts'

export interface LoadOptions {
  readonly hosts: number
  readonly callers: number
  /** How many hosts a report or a heartbeat contains. */
  readonly batch: number
  /** How many operations a caller sends in one request. */
  readonly operations: number
  /** How long calls are counted. */
  readonly seconds: number
  /** How long calls are made before they are counted. */
  readonly warmUpSeconds: number
  /** How long the plain server is called, before and after. 0 leaves it out. */
  readonly floorSeconds: number
  readonly mix: Mix
  readonly seed: string
  say(line: string): void
}

/** What a run measured. Times of processors are in milliseconds for each call, and undefined where /proc does not exist. */
export interface LoadFigures {
  readonly seconds: number
  readonly calls: number
  readonly placements: number
  readonly placementsPerSecond: number
  /** How many proposals had no effect, for example because another claim took the resources meanwhile, so that their requests were repeated. */
  readonly fruitless: number
  readonly byKind: Readonly<Partial<Record<CallKind, KindFigures>>>
  readonly serviceCpuMs: number | undefined
  /** The service's processor time for each host of a report, in microseconds. Undefined if the callers did anything else too. */
  readonly hostCpuUs: number | undefined
  readonly postgresCpuMs: number | undefined
  /** The processor time of the callers, which are one process. */
  readonly callersCpuMs: number | undefined
  /** The processor time of a plain server for a mutation that does nothing. Undefined if it was not measured. */
  readonly floorCpuMs: number | undefined
  readonly floor: KindFigures | undefined
  /** `serviceCpuMs` divided by `floorCpuMs`. */
  readonly overFloor: number | undefined
  /** The longest time for which the service answered no call, in milliseconds of its processor time. */
  readonly longestPauseMs: number
  readonly violations: number
}

/** One report has this many hosts. */
const REPORTED_AT_ONCE = 500
const MAX_AUDIT_SECONDS = 120
const ROUNDS = 'gantt_audit_rounds_total'
/** There is one value for each rule that had an effect. */
const FRUITLESS = 'gantt_proposals_fruitless_total'

/** Places load on a service of its own with a fleet of equal hosts, measures it, and checks the state of the service afterwards. */
export async function runLoad(checks: Checks, options: LoadOptions): Promise<LoadFigures> {
  const { hosts, callers, operations, batch, seconds, warmUpSeconds, floorSeconds, mix, seed, say } = options
  return await withFolder(async (folder) => {
    const floor = floorSeconds === 0 ? undefined : await measureFloor(checks, { callers, seconds: floorSeconds })
    const service = await startService({ GANTT_DATA_DIR: folder }, 120_000)
    try {
      await fill(service, hosts)
      say(`${hosts} hosts are reported`)
      const tally = createTally()
      const work = startWork({ url: service.url, key: ADMIN_KEY, callers, operations, hosts, batch, mix, seed, tally })
      const { begin, end, before, after, measured } = await measure(service, folder, tally, { seconds, warmUpSeconds }).finally(work.stop)
      const byKind = tally.figures()
      say(`${work.held.size} claims are live; the state of the service is checked`)
      checks.check('no call fails', tally.failures.count === 0, () => `${tally.failures.count}, first: ${tally.failures.first}`)
      await checkAfterwards(checks, service.client, work.held)
      const violations = (await afterAudit(service)).value('gantt_audit_violations')
      checks.check('the auditor finds no violation', violations === 0, () => String(violations))
      const calls = Object.values(byKind).reduce((sum, one) => sum + one.calls, 0)
      const each = (what: keyof Times): number | undefined => {
        const [from, to] = [before[what], after[what]]
        return from === undefined || to === undefined ? undefined : (to - from) / Math.max(1, tally.ended)
      }
      const serviceCpuMs = each('service')
      const isReporting = workKinds.every((kind) => mix[kind] === 0 || kind === 'report' || kind === 'heartbeat')
      return {
        seconds: measured,
        calls,
        placements: tally.placements,
        placementsPerSecond: tally.placements / measured,
        fruitless: end.sum(FRUITLESS) - begin.sum(FRUITLESS),
        byKind,
        serviceCpuMs,
        hostCpuUs: serviceCpuMs === undefined || !isReporting ? undefined : (serviceCpuMs * 1_000) / batch,
        postgresCpuMs: each('postgres'),
        callersCpuMs: each('callers'),
        floorCpuMs: floor?.cpuMs,
        floor: floor?.figures,
        overFloor: serviceCpuMs === undefined || floor?.cpuMs === undefined ? undefined : serviceCpuMs / floor.cpuMs,
        longestPauseMs: end.value('gantt_longest_pause_cpu_seconds') * 1_000,
        violations,
      }
    } finally {
      await service.stop()
    }
  })
}

/** Lets the callers work, first without counting, and then for the time that is measured. */
async function measure(
  service: Service,
  folder: string,
  tally: Tally,
  { seconds, warmUpSeconds }: Pick<LoadOptions, 'seconds' | 'warmUpSeconds'>,
) {
  await sleep(warmUpSeconds)
  // the next answer has the longest pause since this one
  const begin = await readMetrics(service)
  const before = timesOf(service, folder)
  tally.start()
  await sleep(seconds)
  const measured = tally.stop()
  const after = timesOf(service, folder)
  return { begin, before, measured, after, end: await readMetrics(service) }
}

/** The metrics after the auditor has checked the whole state at least once since this call. */
async function afterAudit(service: Service): Promise<Metrics> {
  const begun = (await readMetrics(service)).value(ROUNDS)
  for (let second = 0; second < MAX_AUDIT_SECONDS; second++) {
    const metrics = await readMetrics(service)
    // the round that runs now can have begun before
    if (metrics.value(ROUNDS) >= begun + 2) return metrics
    await sleep(1)
  }
  throw new Error(`expected two rounds of the auditor within ${MAX_AUDIT_SECONDS} s, found fewer`)
}

/** Calls a plain server, first without counting for as long as it is then measured. */
async function measureFloor(
  checks: Checks,
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<{ readonly cpuMs: number | undefined; readonly figures: KindFigures | undefined }> {
  const server = await startPlainServer()
  try {
    const tally = createTally()
    const work = startSame({ url: server.url, key: 'none', callers, seed: 'floor', tally }, NOOP)
    await sleep(seconds)
    const before = processorMs([server.pid])
    tally.start()
    await sleep(seconds)
    tally.stop()
    const after = processorMs([server.pid])
    const { noop } = tally.figures()
    await work.stop()
    const { count, first } = tally.failures
    checks.check('the plain server answers', count === 0 && noop !== undefined, () => `${count} failures, first: ${first}`)
    const isKnown = before !== undefined && after !== undefined && noop !== undefined
    return { cpuMs: isKnown ? (after - before) / tally.ended : undefined, figures: noop }
  } finally {
    await server.stop()
  }
}

async function fill({ client }: Service, hosts: number): Promise<void> {
  for (let first = 0; first < hosts; first += REPORTED_AT_ONCE) {
    const { document, variables } = reportCall(
      Array.from({ length: Math.min(REPORTED_AT_ONCE, hosts - first) }, (_, i) => reportOf(first + i, 1)),
    )
    const { updateResourceStats } = await client.request<{
      updateResourceStats: { results: readonly { readonly __typename: string; readonly message?: string }[] }
    }>(document, variables)
    const refused = updateResourceStats.results.find(({ __typename }) => __typename !== 'ResourceStatsApplied')
    if (refused !== undefined) throw new Error(`a report was refused: ${refused.__typename} ${refused.message ?? ''}`)
  }
}

interface Times {
  readonly service: number | undefined
  readonly postgres: number | undefined
  readonly callers: number | undefined
}

const timesOf = ({ pid }: Service, folder: string): Times => ({
  service: processorMs([pid]),
  postgres: processorMs(serverProcesses(folder)),
  callers: processorMs([process.pid]),
})

const sleep = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
