import { allocationChecks } from './check-allocation.ts'
import { finalChecks } from './check-final.ts'
import { findingChecks } from './check-findings.ts'
import { historyChecks } from './check-history.ts'
import { leavingChecks } from './check-leaving.ts'
import type { Evidence, Rule } from './rule.ts'

/** All promises of the service that can be checked from outside. */
export const rules: readonly Rule[] = [...historyChecks, ...leavingChecks, ...allocationChecks, ...finalChecks, ...findingChecks]

/** One entry for each rule: its name, and its violations. The list of violations is empty if the rule holds. */
export const judge = (evidence: Evidence): readonly { readonly name: string; readonly violations: readonly string[] }[] =>
  rules.map((rule) => ({ name: rule.name, violations: rule.violations(evidence) }))
