import { checkpointOf, copyFleet, restoreFleet } from '@gantt/scheduler-core'
import { aClaim, aUuid } from '@gantt/scheduler-core/testing'
import { aLogOf } from './fleet.ts'
import { measureInTurns } from './measure.ts'
import type { Question } from './question.ts'

/** How many claims are on each host. */
const CLAIMS = 5

/** Measures the private copy of a fleet, which every what-if query needs. */
export const copy: Question = {
  name: 'copy',
  asks: 'What does a private copy of a fleet with five claims on each host cost?',
  floor: 'a copy made by writing a checkpoint in memory and reading it',
  rounds: 12,
  async run({ hosts = 10_000, rounds }) {
    const log = aLogOf(hosts)
    const names = log.fleet.hosts.records.map(({ host }) => host)
    for (let round = 0; round < CLAIMS; round++)
      log.append(
        names.map((host, i) =>
          aClaim({
            key: `key ${round} ${i}`,
            hosts: [host],
            ids: [aUuid(round * hosts + i)],
            grants: { classes: { DISK_GB: 1 } },
            mode: 'CONFIRM',
          }),
        ),
      )
    const { fleet } = log
    const { copied, restored } = await measureInTurns(rounds, {
      copied: () => copyFleet(fleet),
      restored: () => restoreFleet(checkpointOf(fleet)),
    })
    const what = `${hosts} hosts, ${fleet.ledger.claims.size} claims`
    return [
      { what: `${what}; by a checkpoint`, unit: 'ms', ...restored, p99: null, ratio: null },
      { what: `${what}; copied`, unit: 'ms', ...copied, p99: null, ratio: copied.median / restored.median },
    ]
  },
}
