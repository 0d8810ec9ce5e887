/**
 * The entry point for packages/proofs. It exports code that the commands of packages/proofs share with the command line. No other package
 * may import it.
 */

export { type AuditRow, findBreak, type Head, START } from './commands/audit/chain.ts'
export { signal } from './commands/cluster/signal.ts'
export { demoFleet } from './commands/demo/fleet.ts'
export { hostAt } from './commands/demo/host.ts'
export { aUuid } from './commands/demo/requests.ts'
export { JSON_OPTION, note, withExamples } from './output/output.ts'
export { NODE_ARGUMENTS, PROGRAM } from './program.ts'
