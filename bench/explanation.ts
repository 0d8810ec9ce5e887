import { examineAgain, type Fleet, type RequestSpec, verdictMatrix } from '@gantt/scheduler-core'
import { aLogOf, requests, scan } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Figure, Question } from './question.ts'

/** Measures the explanation of a stored decision with every filter on every host, all reasons and all scores. */
export const explanation: Question = {
  name: 'explanation',
  asks: 'What does the full explanation of a stored decision cost: every filter on every host, reasons, ranks?',
  floor: 'a plain decision of the same request: filters and weighers only',
  rounds: 40,
  async run({ hosts, rounds }) {
    const figures: Figure[] = []
    for (const size of hosts === undefined ? [10_000, 100_000] : [hosts]) {
      const { fleet } = aLogOf(size)
      for (const [name, request] of Object.entries(requests)) {
        const { record } = scan(fleet, request)
        const { columns, plain, whole } = await measureInTurns(size > 20_000 ? Math.ceil(rounds / 4) : rounds, {
          columns: () => scanColumns(fleet, request),
          plain: () => scan(fleet, request),
          whole: () => examineAgain(fleet, [], record, 0, (examined) => verdictMatrix(examined, examined)),
        })
        const passed = record.instances[0]?.filters.at(-1)?.passed ?? size
        const what = `${size} hosts, ${name}: ${passed} pass`
        figures.push(
          { what: `${what}; bare columns`, unit: 'ms', ...columns, ratio: columns.median / plain.median },
          { what: `${what}; scan`, unit: 'ms', ...plain, ratio: null },
          { what: `${what}; explanation`, unit: 'ms', ...whole, ratio: whole.median / plain.median, target: { of: 'ratio', most: 20 } },
        )
      }
    }
    return figures
  },
}

/**
 * The minimum of work: one loop over the columns that finds the host with the most free memory, without names, zones, traits, ranks or a
 * record. Its time shows how much of the time of a plain scan every implementation would need.
 */
function scanColumns({ hosts }: Fleet, { flavor }: RequestSpec): number {
  const { status, liveness } = hosts.columns
  const [cpus, memory, disk] = ['VCPU', 'MEMORY_MB', 'DISK_GB'].map((name) => hosts.classColumns(name).free)
  if (cpus === undefined || memory === undefined || disk === undefined) return -1
  let best = -1
  let most = -1
  for (let host = 0; host < hosts.count; host++) {
    if (status[host] !== 0 || liveness[host] === 2) continue
    const [cpusFree, memoryFree, diskFree] = [cpus[host] ?? 0, memory[host] ?? 0, disk[host] ?? 0]
    if (cpusFree < flavor.vcpus || memoryFree < flavor.memoryMb || diskFree < flavor.rootGb || memoryFree <= most) continue
    most = memoryFree
    best = host
  }
  return best
}
