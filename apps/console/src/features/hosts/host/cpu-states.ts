/** The state of a CPU of a NUMA cell: dedicated to an instance, shared by instances, or unused. */
export type CpuState = 'pinned' | 'shared' | 'free'

export const cpuStates = ['pinned', 'shared', 'free'] as const satisfies readonly CpuState[]

interface CellCpus {
  readonly cpus: readonly number[]
  /** The CPUs that can be dedicated to instances, in `cpus` or in addition to them. Null if all of `cpus` can be dedicated. */
  readonly dedicated: readonly number[] | null
  /** The CPUs that are dedicated to an instance now. */
  readonly pinned: readonly number[]
  /** How many shared CPUs are used or claimed. */
  readonly cpusUsed: number
}

/**
 * Every CPU of a cell with its state, in ascending order. If instances with shared CPUs run on the cell, all of its `cpus` that are not
 * dedicated to an instance are shown as shared, because the host does not report which of these CPUs such instances use.
 */
export function statesOf({ cpus, dedicated, pinned, cpusUsed }: CellCpus): ReadonlyMap<number, CpuState> {
  const isPinned = new Set(pinned)
  const carriesShared = new Set(cpusUsed > 0 ? cpus : [])
  const all = [...new Set([...cpus, ...(dedicated ?? []), ...pinned])].sort((a, b) => a - b)
  return new Map(all.map((cpu) => [cpu, isPinned.has(cpu) ? 'pinned' : carriesShared.has(cpu) ? 'shared' : 'free']))
}
