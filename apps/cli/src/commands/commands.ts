import type { Command } from 'commander'
import { addClaims } from './claims.ts'
import { addDecisions } from './decisions.ts'
import { addExplain } from './explain.ts'
import { addHosts } from './hosts.ts'
import { addSelect } from './select.ts'
import { addWhyNot } from './why-not.ts'

/** The commands that ask a running service, each in the file of its noun. */
export function addCommands(program: Command): void {
  addHosts(program)
  addSelect(program)
  addWhyNot(program)
  addExplain(program)
  addDecisions(program)
  addClaims(program)
}
