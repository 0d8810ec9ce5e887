/** The entry point for packages/proofs: what its commands share with those here. No other package may use it. */

export { type AuditRow, findBreak, type Head, START } from './commands/audit/chain.ts'
export { signal } from './commands/cluster/signal.ts'
export { demoFleet } from './commands/demo/fleet.ts'
export { hostAt } from './commands/demo/host.ts'
export { aUuid } from './commands/demo/requests.ts'
export { note, withExamples } from './output/output.ts'
export { PROGRAM } from './program.ts'
