import { aReport } from '@gantt/scheduler-core/testing'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { dataOf, startTestService } from '../../testing/test-service.ts'
import { REPLACE } from './testing/leaving.ts'

/** The count of nodes of each of two hosts. One SQL statement cannot write the nodes of both hosts. */
const NODES = 300

test('every node of a host that is merged into another host keeps its row in the tables', async () => {
  const api = await startTestService()
  const tables = new pg.Client(api.connection)
  await tables.connect()
  try {
    for (const host of ['many-1', 'many-2'])
      await api.service.replica.propose(Array.from({ length: NODES }, (_, i) => ({ ...aReport(host), node: `n${i}` })))
    const { hostReplace } = await dataOf(api, REPLACE, { host: { host: 'many-1' }, by: { host: 'many-2' } })
    expect(hostReplace).toMatchObject({ unchanged: false })
    await vi.waitFor(async () => {
      const { rows } = await tables.query(
        "SELECT status, count(*)::int AS count FROM compute_node WHERE host = 'many-2' GROUP BY status ORDER BY status",
      )
      expect(rows).toEqual([
        { status: 'ENABLED', count: NODES },
        { status: 'FORGOTTEN', count: NODES },
      ])
    }, 120_000)
  } finally {
    await tables.end()
    await api.close()
  }
})
