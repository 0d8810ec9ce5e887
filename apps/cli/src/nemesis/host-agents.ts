import { randomUUID } from 'node:crypto'
import type { Amounts, Setting } from './history.ts'

export const STATS = `mutation Stats($input: UpdateResourceStatsInput!) {
  updateResourceStats(input: $input) { appliedCount results { __typename ... on UserError { message } } } }`

/** A full report's body. */
export type Stats = Readonly<Record<string, unknown>>

/** The hosts of the run as they are themselves: what runs on them, and what they tell. Reports are always true. */
export interface HostAgents {
  start(host: string, instance: string, amounts: Amounts): void
  stop(host: string, instance: string): void
  running(host: string): readonly string[]
  /** The next report of a host; `tells`: with the list of its instances. */
  report(host: string): { readonly incarnation: string; readonly sequence: number; readonly instances: string[]; readonly stats: Stats }
}

export function createHostAgents({ hosts, units }: Setting): HostAgents {
  const agents = new Map(
    hosts.map((host) => [host.name, { ...host, incarnation: randomUUID(), sequence: 0, instances: new Map<string, Amounts>() }]),
  )
  const agentOf = (name: string) => {
    const agent = agents.get(name)
    if (agent === undefined) throw new Error(`there is no host ${name}`)
    return agent
  }
  return {
    start: (host, instance, amounts) => void agentOf(host).instances.set(instance, amounts),
    stop: (host, instance) => void agentOf(host).instances.delete(instance),
    running: (host) => [...agentOf(host).instances.keys()],
    report(name) {
      const agent = agentOf(name)
      agent.sequence++
      const { capacity, base, instances, incarnation, sequence } = agent
      const used = (resourceClass: string): number =>
        [...instances.values()].reduce((sum, amounts) => sum + (amounts[resourceClass] ?? 0), base[resourceClass] ?? 0)
      const listed = [...instances.keys()]
      return {
        incarnation,
        sequence,
        instances: listed,
        stats: {
          vcpus: capacity.VCPU,
          vcpusUsed: used('VCPU'),
          memoryMb: capacity.MEMORY_MB,
          memoryMbUsed: used('MEMORY_MB'),
          localGb: 100,
          localGbUsed: 0,
          cpuAllocationRatio: 1,
          ramAllocationRatio: 1,
          diskAllocationRatio: 1,
          runningVms: listed.length,
          hypervisorType: 'QEMU',
          hypervisorVersion: 7_002_000,
          hypervisorHostname: name,
          instances: listed,
          inventories: Object.entries(units).map(([resourceClass, { min, max, step }]) => ({
            resourceClass,
            total: capacity[resourceClass] ?? 0,
            minUnit: min,
            maxUnit: max,
            stepSize: step,
            used: used(resourceClass),
          })),
        },
      }
    },
  }
}
