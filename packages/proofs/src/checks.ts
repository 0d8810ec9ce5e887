/** What a proof found out, check by check. */
export interface Checks {
  /** Counts a check and tells of it; `detail` says what was found where it failed. */
  check(name: string, holds: boolean, detail?: () => string): void
  readonly passed: number
  readonly failed: number
}

/** `say` gets a line for each check; of a check that is made many times only the failures and the first success. */
export function createChecks(say: (line: string) => void): Checks {
  const told = new Set<string>()
  let passed = 0
  let failed = 0
  return {
    check(name, holds, detail) {
      if (holds) passed++
      else failed++
      if (holds && told.has(name)) return
      told.add(name)
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
