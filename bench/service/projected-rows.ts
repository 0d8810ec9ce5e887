import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import type { Database } from '../../apps/server/src/db/table-writer.ts'
import { writeDecisions } from '../../apps/server/src/db/tables/decisions.ts'
import { requestSpecId, writeRequestSpecs } from '../../apps/server/src/db/tables/request-specs.ts'
import type { StoredDecision } from '../../apps/server/src/db/tables/rows.ts'
import { aLogOf, scan } from '../fleet.ts'
import { measureInTurns } from '../measure.ts'
import type { Figure, Question } from '../question.ts'

const PLACEMENTS = 1_000

/** Accepts each statement without a database, so that only the work of this process is measured. */
const nowhere: Database = {
  $executeRaw: async () => 0,
  $queryRaw: () => Promise.reject(new Error('expected only statements without an answer')),
}

/** Measures the rows of placements: the digest and the columns of the request, the receipt, and the packed decision. */
export const projectedRows: Question = {
  name: 'projected-rows',
  asks: `How long does it take to make the rows of ${PLACEMENTS} placements, without the database?`,
  floor: 'JSON.stringify of the same decisions',
  rounds: 20,
  async run({ hosts = 1_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    const { record, answer } = scan(fleet, aRequest({ vcpus: 1, memoryMb: 1_024 }))
    /** Each call gets its own objects, as decisions of different calls have. */
    const someDecisions = (): StoredDecision[] =>
      Array.from({ length: PLACEMENTS }, (_, i) => {
        const own = { ...record, id: aUuid(i), request: { ...record.request, instanceUuids: [aUuid(PLACEMENTS + i)] } }
        const place = { basis: i, entryId: aUuid(i), position: 0 }
        return {
          id: own.id,
          outcome: 'PLACED',
          at: i,
          account: 'caller',
          requestSpecId: '',
          record: own,
          place,
          answer,
          claimIds: [own.id],
          reasons: [],
        }
      })
    let decisions: readonly StoredDecision[] = []
    const figures = await measureInTurns(rounds, {
      made: () => {
        decisions = someDecisions()
      },
      plain: () => JSON.stringify(decisions),
      digests: () => {
        decisions = decisions.map((decision) => ({ ...decision, requestSpecId: requestSpecId(decision.record.request) }))
      },
      requests: () => writeRequestSpecs(nowhere, decisions),
      decisions: () => writeDecisions(nowhere, decisions, true),
    })
    const figure = (name: keyof typeof figures, what: string): Figure => ({
      what,
      unit: 'ms',
      ...figures[name],
      ratio: name === 'plain' ? null : figures[name].median / figures.plain.median,
    })
    return [
      figure('plain', 'JSON.stringify'),
      figure('digests', 'digests of the requests'),
      figure('requests', 'rows of the requests'),
      figure('decisions', 'rows of the decisions, with receipts'),
    ]
  },
}
