export interface Check {
  readonly name: string
  readonly needs?: readonly string[]
  readonly after?: string
  readonly run: () => void
}

export interface Counts {
  readonly passed: number
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
}

export function runChecks(
  checks: readonly Check[],
  options: {
    readonly missing: readonly string[]
    readonly why: string | undefined
    readonly mustRunAll: boolean
    readonly print: (text: string) => void
  },
): Counts

export class CheckError extends Error {}

export function expectNone(faults: readonly string[]): void
