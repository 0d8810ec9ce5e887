import type { Command } from 'commander'
import { GANTT } from './output/called.ts'

/**
 * The commands of packages/proofs with their descriptions. packages/proofs depends on this package, so the package.json of this package
 * does not list packages/proofs. An installation from a release or from npm does not have packages/proofs.
 */
const PROOFS = {
  replay: 'replay a trace of real requests, and show the figure that is published for it',
  prove: 'show that the promises hold, with real processes and a real database, or in comparison with a model',
  'simulate-faults': 'run replicas, store, network and clients in one process under faults, and check every promise after every step',
  loadtest: 'place, claim, release and report with many callers: print rates, latencies and costs, and check the state afterwards',
  nemesis: 'run replicas and a database under load and faults, and judge the histories of the callers',
  conformance: 'compare recorded verdicts of the real Nova with those of this service',
}

export const isProof = (name: string): name is keyof typeof PROOFS => Object.hasOwn(PROOFS, name)

/** Adds the commands of packages/proofs to the list of commands without importing packages/proofs. */
export function listProofs(program: Command): void {
  for (const [name, description] of Object.entries(PROOFS))
    program.command(name).description(description).helpGroup('Proofs (only in a checkout):')
}

/** Adds the command of one proof. If the proofs package is not installed, the process exits with an error that states what to do. */
export async function addProof(program: Command, name: keyof typeof PROOFS): Promise<void> {
  const proofs = await loadProofs()
  if (proofs === undefined)
    return program.error(
      `error: "${GANTT} ${name}" needs the package @gantt/proofs, which is not installed: it is part of the repository, and of no release. In a checkout of the repository, run "npm ci", then "npx gantt ${name}".`,
      { exitCode: 2 },
    )
  const add = await proofs[name]()
  add(program)
}

async function loadProofs() {
  try {
    return (await import('@gantt/proofs')).proofs
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** True if the package @gantt/proofs itself is missing, false if one of its dependencies is missing. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND' && error.message.includes("'@gantt/proofs'")
