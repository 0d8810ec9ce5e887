/** A door for packages/proofs alone: what its commands share with those here. Nothing of it is for other programs. */
export { signal } from './cluster/signal.ts'
export { type AuditRow, findBreak, type Head, START } from './commands/audit-chain.ts'
export { note, withExamples } from './commands/output.ts'
export { demoFleet } from './demo/fleet.ts'
export { hostAt } from './demo/host.ts'
export { aUuid } from './demo/requests.ts'
export { PROGRAM } from './program.ts'
