/** Runs an operation, and returns its result with the processor time that this process used meanwhile, in microseconds. */
export function timed<T>(operation: () => T): { readonly result: T; readonly us: number } {
  const from = process.cpuUsage()
  const result = operation()
  const { user, system } = process.cpuUsage(from)
  return { result, us: user + system }
}

/**
 * Measures rounds. Before them, a quarter as many rounds run without being counted, to warm up. `run` gets the number of the round, and
 * returns a value for each name.
 */
export function measureRounds<Name extends string>(
  rounds: number,
  run: (round: number) => Readonly<Record<Name, number>>,
): Readonly<Record<Name, readonly number[]>> {
  const warmUp = Math.ceil(rounds / 4)
  const measured = Array.from({ length: warmUp + rounds }, (_, round) => run(round)).slice(warmUp)
  const names = Object.keys(measured[0] ?? {}) as Name[]
  return Object.fromEntries(names.map((name) => [name, measured.map((values) => values[name])])) as Record<Name, number[]>
}
