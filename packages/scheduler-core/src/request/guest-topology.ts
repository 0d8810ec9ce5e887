import type { Contradiction } from './contradiction.ts'
import type { RequestSpec } from './request-spec.ts'

type Guest = Pick<RequestSpec, 'flavor' | 'numaTopology'>

/**
 * Finds cells that do not match the flavor. Every CPU of the flavor must be in exactly one cell, and the memory of the cells must add up to
 * the memory of the flavor, as Nova's API requires (`numa_get_constraints`). Paths are relative to the topology.
 */
export function wrongTopology({ flavor: { vcpus, memoryMb }, numaTopology }: Guest): Contradiction[] {
  if (numaTopology === null) return []
  const { cells } = numaTopology
  const contradictions = [...wrongCpus(cells, vcpus)]
  const refuse = (path: readonly string[], found: unknown, rule: string) => contradictions.push({ path, found, rule })
  const cpus = new Set(cells.flatMap((cell) => cell.cpus))
  const missing = firstMissing(cpus, vcpus)
  if (missing !== undefined)
    refuse(
      ['cells'],
      cells.map((cell) => cell.cpus),
      `have each of the ${vcpus} CPUs of the flavor in a cell: CPU ${missing} is in none`,
    )
  const memory = cells.map((cell) => cell.memoryMb)
  const total = memory.reduce((sum, mib) => sum + mib, 0)
  if (cells.every(({ cpuPolicy }) => cpuPolicy === 'shared')) contradictions.push(...withoutPins(numaTopology))
  if (total !== memoryMb) refuse(['cells'], memory, `have ${memoryMb} MiB of memory in total, like the flavor; the cells have ${total} MiB`)
  return contradictions
}

function wrongCpus(cells: NonNullable<RequestSpec['numaTopology']>['cells'], vcpus: number): Contradiction[] {
  const cellOf = new Map<number, number>()
  return cells.flatMap(({ cpus }, i) => {
    const rules: string[] = []
    const beyond = cpus.find((cpu) => cpu >= vcpus)
    if (beyond !== undefined) rules.push(`list only CPUs of the flavor, which has ${vcpus}, numbered from 0: there is no CPU ${beyond}`)
    const own = new Set<number>()
    const twice = cpus.find((cpu) => own.has(cpu) || !own.add(cpu))
    if (twice !== undefined) rules.push(`name each CPU once: CPU ${twice} is named twice`)
    const shared = cpus.find((cpu) => cellOf.has(cpu))
    if (shared !== undefined) rules.push(`hold CPUs of its own: CPU ${shared} is in cells.${cellOf.get(shared)} too`)
    for (const cpu of cpus) cellOf.set(cpu, cellOf.get(cpu) ?? i)
    return rules.map((rule) => ({ path: ['cells', String(i), 'cpus'], found: cpus, rule }))
  })
}

/**
 * Finds settings that need dedicated CPUs in a guest without dedicated CPUs. Nova refuses them with `CPUThreadPolicyConfigurationInvalid`
 * or `BadRequirementEmulatorThreadsPolicy`.
 */
function withoutPins({ cells, emulatorThreadsPolicy }: NonNullable<RequestSpec['numaTopology']>): Contradiction[] {
  const rule = 'without dedicated CPUs, because it specifies how dedicated host CPUs are chosen'
  return [
    ...cells.flatMap(({ cpuThreadPolicy: found }, i) =>
      found === null ? [] : [{ path: ['cells', String(i), 'cpuThreadPolicy'], found, rule: `be null ${rule}` }],
    ),
    ...(emulatorThreadsPolicy === 'isolate'
      ? [
          {
            path: ['emulatorThreadsPolicy'],
            found: emulatorThreadsPolicy,
            rule: 'be null or share without dedicated CPUs, because only a guest with dedicated CPUs can have a CPU for the emulator',
          },
        ]
      : []),
  ]
}

function firstMissing(cpus: ReadonlySet<number>, vcpus: number): number | undefined {
  for (let cpu = 0; cpu < vcpus; cpu++) if (!cpus.has(cpu)) return cpu
  return undefined
}
