import type { Command } from 'commander'
import { addProof, isProof, listProofs } from '../proofs.ts'

/** Every command but the proofs, each in the file of its noun, in the order of the list; loaded when it is asked for. */
export const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  serve: async () => (await import('./serve.ts')).addServe,
  hosts: async () => (await import('./hosts.ts')).addHosts,
  select: async () => (await import('./select.ts')).addSelect,
  'why-not': async () => (await import('./why-not.ts')).addWhyNot,
  explain: async () => (await import('./explain.ts')).addExplain,
  'what-would-fit': async () => (await import('./what-would-fit.ts')).addWhatWouldFit,
  simulate: async () => (await import('./simulate.ts')).addSimulation,
  capacity: async () => (await import('./capacity.ts')).addCapacity,
  compare: async () => (await import('./compare.ts')).addCompare,
  verify: async () => (await import('./verify.ts')).addVerify,
  decisions: async () => (await import('./decisions.ts')).addDecisions,
  claims: async () => (await import('./claims.ts')).addClaims,
  'key-limits': async () => (await import('./key-limits.ts')).addKeyLimits,
  'fleet-allocation': async () => (await import('./fleet-allocation.ts')).addFleetAllocation,
  aggregates: async () => (await import('./aggregates.ts')).addAggregates,
  host: async () => (await import('./host.ts')).addHost,
  agent: async () => (await import('./agent.ts')).addAgent,
  groups: async () => (await import('./groups.ts')).addGroups,
  liveness: async () => (await import('./liveness.ts')).addLiveness,
  health: async () => (await import('./health.ts')).addHealth,
  replicas: async () => (await import('./replicas.ts')).addReplicas,
  findings: async () => (await import('./findings.ts')).addFindings,
  profile: async () => (await import('./profiles.ts')).addProfiles,
  log: async () => (await import('./log.ts')).addLog,
  keys: async () => (await import('./keys.ts')).addKeys,
  audit: async () => (await import('./audit.ts')).addAudit,
  db: async () => (await import('./db.ts')).addDb,
  'migrate-sync': async () => (await import('./migrate-sync.ts')).addMigrateSync,
  demo: async () => (await import('../demo/command.ts')).addDemo,
  cluster: async () => (await import('../cluster/command.ts')).addCluster,
}

/** Adds the command that these words call. Where they call none that there is, all of them: for the list, or to say what was meant. */
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
