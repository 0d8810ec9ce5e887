import { auditWorld, type Fleet } from '@gantt/scheduler-core'
import { findingsOf, lineOf } from './model/findings.ts'
import type { ModelFleet } from './model/fleet.ts'

/**
 * If the instances that a host lists contradict its claims for this many milliseconds of the log's time, there is a finding. Simulated logs
 * cover more time.
 */
const AFTER_MS = 20_000

/** The auditor's findings about a replica's fleet, in a fixed order. */
export const findingsOfFleet = (fleet: Fleet, afterMs = AFTER_MS): string =>
  [...auditWorld(fleet, afterMs)]
    .flatMap(({ findings }) => findings.map(({ code, host, claim, expected, actual }) => lineOf(code, host, claim, expected, actual)))
    .sort()
    .join('\n')

/** The auditor's findings according to the reference model, in the same order. */
export const findingsOfModel = (model: ModelFleet, afterMs = AFTER_MS): string => findingsOf(model, afterMs).join('\n')

/** The codes of the findings in a text that one of the functions above returned. */
export const codesOf = (findings: string): ReadonlySet<string> =>
  new Set(findings === '' ? [] : findings.split('\n').map((line) => (JSON.parse(line) as [string])[0]))
