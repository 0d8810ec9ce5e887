import type { Fleet } from '@gantt/scheduler-core'
import type { Core } from './core.ts'
import { difference } from './difference.ts'
import { findingsOf } from './model/findings.ts'
import type { ModelFleet } from './model/state.ts'

/**
 * Compares the auditor's findings about hosts with the model. The core must report every finding at once, because no time passes in this
 * proof. Other proofs check how soon a finding appears.
 */
export function compareFindings(core: Core, fleet: Fleet, model: ModelFleet): string | undefined {
  const found = [...core.auditWorld(fleet, 0)].flatMap(({ findings }) =>
    findings.map(({ code, host, expected, actual }) => [code, host ?? '', `${expected}, not ${actual.replace(/ since .*/, '')}`]),
  )
  const inOrder = (lines: readonly (readonly string[])[]): string[] => lines.map((line) => line.join(' | ')).sort()
  return difference('findings', inOrder(found), inOrder(findingsOf(model)))
}
