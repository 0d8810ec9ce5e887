import { randomUUID } from 'node:crypto'
import { createRandom } from '@gantt/scheduler-core'
import type { Amounts, Setting } from '../history.ts'
import { isPickedUnit, PICKED_UNITS, reportOf, UNITS_OF_A_HOST } from '../picked-units.ts'
import { uuidOf } from '../setting.ts'

export const STATS = `mutation Stats($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { appliedCount results { __typename ... on UserError { message } ... on ValidationError { issues { rule } } } } }`

/** The body of a full report. */
export type Stats = Readonly<Record<string, unknown>>

export interface AgentReport {
  readonly incarnation: string
  readonly sequence: number
  /** The listed instances. Null for a report without a list. */
  readonly instances: readonly string[] | null
  /** The used amounts in the report, by resource class and by kind of picked unit. */
  readonly used: Amounts
  readonly stats: Stats
}

export interface ReportOptions {
  /** If true, the host reports exactly its running instances and their use. If false, its reports have errors, like those of real hosts. */
  readonly isTruthful: boolean
  /** Whether the host's PCI devices change from report to report. */
  readonly changesDevices?: boolean
  /** Whether the report of a host may list this instance, which runs on another host. If absent, it may list any instance. */
  mayList?(host: string, instance: string): boolean
}

/**
 * The hosts of the run, with their instances and reports. Each host itself chooses which GPUs, CPUs, devices and pages its instances use,
 * differently in each report. In each report, some of the instances are missing, as if they were lost or not built yet. At random, a host
 * lists an instance of another host or an instance without a claim, lists no instances at all, or reports too little use.
 */
export interface HostAgents {
  start(host: string, instance: string, amounts: Amounts): void
  stop(host: string, instance: string): void
  running(host: string): readonly string[]
  /** The present name of a host. */
  nameOf(host: string): string
  rename(host: string, name: string): void
  /** The next report of a host. */
  report(host: string, options: ReportOptions): AgentReport
  /** A new report of a host with the contents of its last one. */
  repeat(host: string): AgentReport
}

export function createHostAgents({ hosts, units }: Setting, seed: string): HostAgents {
  const random = createRandom(`${seed}/agents`)
  const oneIn = (count: number): boolean => random.below(count) === 0
  const agents = new Map(
    hosts.map((host) => [
      host.name,
      {
        ...host,
        called: host.name,
        incarnation: randomUUID(),
        sequence: 0,
        instances: new Map<string, Amounts>(),
        last: undefined as AgentReport | undefined,
      },
    ]),
  )
  const agentOf = (name: string) => {
    const agent = agents.get(name)
    if (agent === undefined) throw new Error(`there is no host ${name}`)
    return agent
  }
  /** The instances that a host's report lists, with their amounts. */
  const listedBy = (name: string, { isTruthful, mayList = () => true }: ReportOptions): Map<string, Amounts> => {
    const listed = new Map(agentOf(name).instances)
    if (isTruthful) return listed
    // A quarter of the instances is not listed, as if they were lost or not built yet.
    for (const instance of listed.keys()) if (oneIn(4)) listed.delete(instance)
    const others = [...agents.values()]
      .filter((agent) => agent.name !== name)
      .flatMap((agent) => [...agent.instances].filter(([instance]) => mayList(name, instance)))
    const other = others[random.below(others.length)]
    if (other !== undefined && oneIn(6)) listed.set(...other)
    if (oneIn(6)) listed.set(uuidOf(`${seed}/made by hand on ${name}`), { VCPU: 1, MEMORY_MB: 64 })
    return listed
  }
  const report = (name: string, options: ReportOptions): AgentReport => {
    const agent = agentOf(name)
    const { capacity, base, incarnation } = agent
    const listed = listedBy(name, options)
    const isSilent = !options.isTruthful && oneIn(8)
    // Too little use is reported only by hosts that use nothing themselves. Otherwise the report could show less than the host's own use.
    const understates = !options.isTruthful && Object.values(base).every((amount) => amount === 0) && oneIn(6)
    const sumOf = (name: string): number => [...listed.values()].reduce((sum, amounts) => sum + (amounts[name] ?? 0), base[name] ?? 0)
    const used = Object.fromEntries(
      Object.keys(capacity).map((name) => {
        const amount = understates ? Math.floor(sumOf(name) / 2) : sumOf(name)
        return [name, isPickedUnit(name) ? Math.min(amount, UNITS_OF_A_HOST[name]) : amount]
      }),
    )
    const instances = isSilent ? null : [...listed.keys()]
    const hasUnits = PICKED_UNITS.some((unit) => capacity[unit] !== undefined)
    const stats = {
      vcpus: capacity.VCPU,
      vcpusUsed: used.VCPU,
      memoryMb: capacity.MEMORY_MB,
      memoryMbUsed: used.MEMORY_MB,
      localGb: 100,
      localGbUsed: 0,
      cpuAllocationRatio: 1,
      ramAllocationRatio: 1,
      diskAllocationRatio: 1,
      runningVms: listed.size,
      hypervisorType: 'QEMU',
      hypervisorVersion: 7_002_000,
      hypervisorHostname: agent.called,
      instances,
      inventories: Object.entries(units).map(([resourceClass, { min, max, step }]) => ({
        resourceClass,
        total: capacity[resourceClass] ?? 0,
        minUnit: min,
        maxUnit: max,
        stepSize: step,
        used: used[resourceClass],
      })),
      ...(hasUnits && reportOf(used, random.below(12), options.changesDevices === true && oneIn(2))),
    }
    agent.last = { incarnation, sequence: ++agent.sequence, instances, used, stats }
    return agent.last
  }
  return {
    start: (host, instance, amounts) => void agentOf(host).instances.set(instance, amounts),
    stop: (host, instance) => void agentOf(host).instances.delete(instance),
    nameOf: (host) => agentOf(host).called,
    rename(host, name) {
      agentOf(host).called = name
    },
    running: (host) => [...agentOf(host).instances.keys()],
    report,
    repeat(name) {
      const agent = agentOf(name)
      if (agent.last === undefined) throw new Error(`host ${name} has not reported yet`)
      agent.last = { ...agent.last, sequence: ++agent.sequence }
      return agent.last
    },
  }
}
