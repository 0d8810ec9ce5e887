import {
  canonicalJson,
  type Decided,
  type DecideInput,
  decide,
  type Finding,
  type Fleet,
  forgetSearches,
  type Overlay,
} from '@gantt/scheduler-core'

/** One decision in this many is made a second time by examining every host. */
const EVERY = 1_000
/** At most this many differences are listed. All are counted. */
const LISTED = 20

/** A decision that differed, with the store time at which it was made. */
export interface DecisionDifference extends Finding {
  readonly since: number
}

/**
 * Makes a share of this replica's decisions a second time, by examining every host instead of searching the index. Both must give the same
 * result, bit for bit. If they do not, the second result is used and the index is built again.
 */
export interface DecisionChecks {
  /** Counts a decision. Returns true if it is to be made a second time. */
  isDue(): boolean
  /** Compares both results for a fleet. `examined` is the result of examining every host. */
  compare(fleet: Fleet, found: Decided, examined: Decided): void
  /** Warns operators that a decision could not be made a second time. */
  fail(error: unknown): void
  /** How many decisions were made a second time. */
  readonly checked: number
  /** How many of them differed. */
  readonly differed: number
  /** The last decisions that differed, oldest first. */
  readonly differences: readonly DecisionDifference[]
}

export interface DecisionChecksOptions {
  /** One decision in this many is checked; default 1,000. */
  readonly every?: number
  /** The store's time in milliseconds since 1970. */
  now(): number
  /** Warns operators of a difference. */
  warn(message: string): void
}

export function createDecisionChecks({ every = EVERY, now, warn }: DecisionChecksOptions): DecisionChecks {
  const differences: DecisionDifference[] = []
  let [decisions, checked, differed] = [0, 0, 0]
  return {
    isDue() {
      decisions++
      return decisions % every === 0
    },
    compare(fleet, found, examined) {
      checked++
      const [expected, actual] = [textOf(examined), textOf(found)]
      if (expected === actual) return
      differed++
      forgetSearches(fleet)
      const { id } = examined.record
      const at = firstDifference(expected, actual)
      const finding = {
        ...({ code: 'decision.differs', subject: 'decision', name: id, host: null, claim: null, field: 'result' } as const),
        ...{ expected: around(expected, at), actual: around(actual, at), since: now() },
      }
      differences.push(finding)
      if (differences.length > LISTED) differences.shift()
      warn(
        `decision ${id} differs from the result of examining every host, which was used instead; report this as a defect: expected ${finding.expected}, found ${finding.actual}`,
      )
    },
    fail(error) {
      warn(
        `a decision could not be checked by examining every host; report this as a defect: ${error instanceof Error ? error.message : String(error)}`,
      )
    },
    get checked() {
      return checked
    },
    get differed() {
      return differed
    },
    get differences() {
      return differences
    },
  }
}

/**
 * Decides a request. If the decision is to be checked, it is made a second time by examining every host, and this result is used. If the
 * check fails, the decision is made as if it were not checked.
 */
export function decideChecked(
  fleet: Fleet,
  overlay: Overlay,
  asked: DecideInput,
  checks: Pick<DecisionChecks, 'isDue' | 'compare' | 'fail'> | undefined,
): Decided {
  const held = overlay.size
  const found = decide(fleet, overlay, asked)
  if (checks?.isDue() !== true) return found
  overlay.rollback(held)
  try {
    const examined = decide(fleet, overlay, { ...asked, isExhaustive: true })
    checks.compare(fleet, found, examined)
    return examined
  } catch (error) {
    overlay.rollback(held)
    checks.fail(error)
    return decide(fleet, overlay, asked)
  }
}

const textOf = ({ parts, answer, found, record }: Decided): string => canonicalJson({ parts, answer, found, instances: record.instances })

/** The index of the first character that differs. */
function firstDifference(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}

/** A part of a long text around a character. */
const around = (text: string, at: number): string => text.slice(Math.max(0, at - 60), at + 60)
