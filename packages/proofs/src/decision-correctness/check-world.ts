import type { Fleet } from '@gantt/scheduler-core'
import type { Core } from './core.ts'
import { difference } from './difference.ts'
import { findingsOf } from './model/findings.ts'
import type { ModelFleet } from './model/state.ts'

/** What the auditor finds of hosts that have to follow at once, against the model. Since when it is so is for provers whose time passes. */
export function compareFindings(core: Core, fleet: Fleet, model: ModelFleet): string | undefined {
  const found = [...core.auditWorld(fleet, 0)].flatMap(({ findings }) =>
    findings.map(({ code, host, expected, actual }) => [code, host ?? '', `${expected}, not ${actual.replace(/ since .*/, '')}`]),
  )
  const inOrder = (lines: readonly (readonly string[])[]): string[] => lines.map((line) => line.join(' | ')).sort()
  return difference('findings', inOrder(found), inOrder(findingsOf(model)))
}
