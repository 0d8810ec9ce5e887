import type { Command } from 'commander'
import { addProof, isProof, listProofs } from '../proofs.ts'

/** Every command except those of packages/proofs, in the order of the help. A command's file is imported only if the command is needed. */
export const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  serve: async () => (await import('./service/serve.ts')).addServe,
  hosts: async () => (await import('./host/hosts.ts')).addHosts,
  select: async () => (await import('./placement/select.ts')).addSelect,
  'why-not': async () => (await import('./decision/why-not.ts')).addWhyNot,
  explain: async () => (await import('./decision/explain.ts')).addExplain,
  'what-would-fit': async () => (await import('./what-if/what-would-fit.ts')).addWhatWouldFit,
  simulate: async () => (await import('./what-if/simulate.ts')).addSimulation,
  capacity: async () => (await import('./what-if/capacity.ts')).addCapacity,
  compare: async () => (await import('./decision/compare.ts')).addCompare,
  verify: async () => (await import('./decision/verify.ts')).addVerify,
  decisions: async () => (await import('./decision/decisions.ts')).addDecisions,
  claims: async () => (await import('./claim/claims.ts')).addClaims,
  'key-limits': async () => (await import('./key/key-limits.ts')).addKeyLimits,
  'fleet-allocation': async () => (await import('./fleet/fleet-allocation.ts')).addFleetAllocation,
  aggregates: async () => (await import('./aggregate/aggregates.ts')).addAggregates,
  host: async () => (await import('./host/host.ts')).addHost,
  agent: async () => (await import('./agent/agent.ts')).addAgent,
  groups: async () => (await import('./group/groups.ts')).addGroups,
  liveness: async () => (await import('./fleet/liveness.ts')).addLiveness,
  health: async () => (await import('./replica/health.ts')).addHealth,
  replicas: async () => (await import('./replica/replicas.ts')).addReplicas,
  findings: async () => (await import('./fleet/findings.ts')).addFindings,
  profile: async () => (await import('./profile/profile.ts')).addProfiles,
  log: async () => (await import('./replica/log.ts')).addLog,
  keys: async () => (await import('./key/keys.ts')).addKeys,
  audit: async () => (await import('./audit/audit.ts')).addAudit,
  db: async () => (await import('./service/db.ts')).addDb,
  'migrate-sync': async () => (await import('./service/migrate-sync.ts')).addMigrateSync,
  demo: async () => (await import('./demo/demo.ts')).addDemo,
  cluster: async () => (await import('./cluster/cluster.ts')).addCluster,
}

/**
 * Adds the command that the arguments name. If they name no command, all commands are added, for the list of commands and for suggestions.
 */
export async function addCommands(program: Command, words: readonly string[]): Promise<void> {
  const [first = ''] = words
  if (first === '--version' || first === '-V') return
  const asked = words.find((word) => !word.startsWith('-') && word !== 'help') ?? ''
  if (isProof(asked)) return addProof(program, asked)
  const load = Object.hasOwn(commands, asked) ? commands[asked] : undefined
  for (const loadOne of load === undefined ? Object.values(commands) : [load]) {
    const add = await loadOne()
    add(program)
  }
  if (load === undefined) listProofs(program)
}
