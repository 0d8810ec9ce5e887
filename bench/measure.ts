/** The CPU time of one run of an operation in milliseconds, as found in many repetitions. */
export interface Samples {
  readonly median: number
  readonly p99: number
}

/**
 * Runs these operations in turns, so that all run under the same load, and returns the times of each. Before the measured rounds, a quarter
 * as many rounds run without being measured, to warm up.
 */
export async function measureInTurns<Name extends string>(
  rounds: number,
  things: Readonly<Record<Name, () => unknown>>,
): Promise<Readonly<Record<Name, Samples>>> {
  const names = Object.keys(things) as Name[]
  const times = new Map(names.map((name) => [name, [] as number[]]))
  const warmUp = Math.ceil(rounds / 4)
  for (let round = 0; round < warmUp + rounds; round++)
    for (const name of names) {
      const from = process.cpuUsage()
      const done = things[name]()
      if (done instanceof Promise) await done
      const { user, system } = process.cpuUsage(from)
      if (round >= warmUp) times.get(name)?.push((user + system) / 1_000)
    }
  return Object.fromEntries(names.map((name) => [name, samplesOf(times.get(name) ?? [])])) as Record<Name, Samples>
}

/** The median and the 99th percentile of the numbers. */
export function samplesOf(numbers: readonly number[]): Samples {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { median: at(0.5), p99: at(0.99) }
}
