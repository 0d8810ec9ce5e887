/** The state of a CPU of a NUMA cell: dedicated to an instance, shared by instances, or unused. */
export type CpuState = 'pinned' | 'shared' | 'free'

export const cpuStates = ['pinned', 'shared', 'free'] as const satisfies readonly CpuState[]

interface CellCpus {
  readonly cpus: readonly number[]
  readonly dedicated: readonly number[] | null
  readonly pinned: readonly number[]
  readonly cpusUsed: number
}

/**
 * Every CPU of a cell with its state, in ascending order. If instances with shared CPUs run on the cell, all CPUs that are not dedicated
 * are shown as shared, because the host does not report which CPUs these instances use.
 */
export function statesOf({ cpus, dedicated, pinned, cpusUsed }: CellCpus): ReadonlyMap<number, CpuState> {
  const isPinned = new Set(pinned)
  const carriesShared = new Set(cpusUsed > 0 ? cpus : [])
  const all = [...new Set([...cpus, ...(dedicated ?? []), ...pinned])].sort((a, b) => a - b)
  return new Map(all.map((cpu) => [cpu, isPinned.has(cpu) ? 'pinned' : carriesShared.has(cpu) ? 'shared' : 'free']))
}
