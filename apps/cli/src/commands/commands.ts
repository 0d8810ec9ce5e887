import type { Command } from 'commander'
import { addAgent } from './agent.ts'
import { addAggregates } from './aggregates.ts'
import { addAudit } from './audit.ts'
import { addCapacity } from './capacity.ts'
import { addClaims } from './claims.ts'
import { addCompare } from './compare.ts'
import { addDb } from './db.ts'
import { addDecisions } from './decisions.ts'
import { addExplain } from './explain.ts'
import { addFindings } from './findings.ts'
import { addFleetAllocation } from './fleet-allocation.ts'
import { addGroups } from './groups.ts'
import { addHealth } from './health.ts'
import { addHost } from './host.ts'
import { addHosts } from './hosts.ts'
import { addKeyLimits } from './key-limits.ts'
import { addKeys } from './keys.ts'
import { addLiveness } from './liveness.ts'
import { addLog } from './log.ts'
import { addMigrateSync } from './migrate-sync.ts'
import { addProfiles } from './profiles.ts'
import { addReplicas } from './replicas.ts'
import { addSelect } from './select.ts'
import { addSimulation } from './simulate.ts'
import { addVerify } from './verify.ts'
import { addWhatWouldFit } from './what-would-fit.ts'
import { addWhyNot } from './why-not.ts'

/** The commands for a running service and for what one leaves behind, each in the file of its noun. */
export function addCommands(program: Command): void {
  addHosts(program)
  addSelect(program)
  addWhyNot(program)
  addExplain(program)
  addWhatWouldFit(program)
  addSimulation(program)
  addCapacity(program)
  addCompare(program)
  addVerify(program)
  addDecisions(program)
  addClaims(program)
  addKeyLimits(program)
  addFleetAllocation(program)
  addAggregates(program)
  addHost(program)
  addAgent(program)
  addGroups(program)
  addLiveness(program)
  addHealth(program)
  addReplicas(program)
  addFindings(program)
  addProfiles(program)
  addLog(program)
  addKeys(program)
  addAudit(program)
  addDb(program)
  addMigrateSync(program)
}
