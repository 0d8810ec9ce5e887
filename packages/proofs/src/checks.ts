/** Counts and reports the results of a proof's checks. */
export interface Checks {
  /** Counts and reports the check with this name. `holds` is its result, and `detail` describes a failure. */
  check(name: string, holds: boolean, detail?: () => string): void
  readonly passed: number
  readonly failed: number
}

/**
 * Calls `say` with one line for each check. If a check is repeated, each failure is reported, but a success only if the check was not
 * reported before.
 */
export function createChecks(say: (line: string) => void): Checks {
  const reported = new Set<string>()
  let passed = 0
  let failed = 0
  return {
    check(name, holds, detail) {
      if (holds) passed++
      else failed++
      if (holds && reported.has(name)) return
      reported.add(name)
      say(holds ? `  ok      ${name}` : `  FAILED  ${name}${detail === undefined ? '' : `: ${detail()}`}`)
    },
    get passed() {
      return passed
    },
    get failed() {
      return failed
    },
  }
}
