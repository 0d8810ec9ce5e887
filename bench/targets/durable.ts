import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '../../apps/server/src/db/open-database.ts'
import { withFolder } from '../../packages/proofs/src/processes/folder.ts'
import { ADMIN_KEY, type Service, startService } from '../../packages/proofs/src/processes/service.ts'
import { startWork } from '../../packages/proofs/src/throughput/callers.ts'
import { reportCall, reportOf } from '../../packages/proofs/src/throughput/calls.ts'
import { createTally } from '../../packages/proofs/src/throughput/tally.ts'
import { program } from './checkout.ts'
import { goals } from './goals.ts'
import type { TargetQuestion } from './target.ts'

const CALLERS = 64
const AT_ONCE = 500
const ANSWER_MS = 120_000

interface Sizes {
  readonly hosts: number
  readonly callers: number
  readonly seconds: number
}

/**
 * P8: durable claims of a service, over a loop of a single connection that commits one changed row after the other to the PostgreSQL of
 * this service. The two take turns. While the loop runs, the service has no calls.
 */
export const durableTarget: TargetQuestion = {
  name: 'p8',
  goals: [goals.durable],
  rounds: 3,
  run: ({ hosts = 10_000, rounds, seconds = 10 }) =>
    withFolder(async (folder) => {
      const service = await startService({ GANTT_DATA_DIR: folder }, ANSWER_MS, program())
      try {
        const sizes = { hosts, callers: Math.min(hosts, CALLERS), seconds }
        await fill(service, hosts)
        const [claims, commits]: [number[], number[]] = [[], []]
        for (let round = 0; round < rounds; round++) {
          commits.push(await withDatabase(folder, (client) => commitRows(client, seconds)))
          claims.push(await placeFor(service, sizes, `round ${round}`))
        }
        return [
          {
            goal: goals.durable,
            size: `${hosts} hosts, ${sizes.callers} callers, ${seconds} s`,
            values: claims.map((rate, round) => rate / (commits[round] as number)),
            baseline: { what: 'commits of single rows by one connection', unit: 'a second', values: commits },
            parts: [{ what: 'durable claims', unit: 'a second', values: claims }],
          },
        ]
      } finally {
        await service.stop()
      }
    }),
}

/** Opens the database of a running service. */
async function withDatabase<T>(stateDir: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const database = await openDatabase({ stateDir })
  const client = new pg.Client(database.connection)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
    await database.close()
  }
}

/** Commits changes of one row one after the other, and returns how many were committed in a second. */
async function commitRows(client: pg.Client, seconds: number): Promise<number> {
  await client.query('SET synchronous_commit = on')
  await client.query('CREATE TABLE bench_rows (id INT PRIMARY KEY, generation BIGINT NOT NULL)')
  try {
    await client.query('INSERT INTO bench_rows VALUES (1, 0)')
    const update = { name: 'bench', text: 'UPDATE bench_rows SET generation = generation + 1 WHERE id = 1 AND generation = $1' }
    const begunAt = performance.now()
    let generation = 0
    for (const end = begunAt + seconds * 1_000; performance.now() < end; generation++) {
      const { rowCount } = await client.query({ ...update, values: [generation] })
      if (rowCount !== 1) throw new Error(`expected that generation ${generation} of the row is changed, found ${rowCount} rows`)
    }
    return generation / ((performance.now() - begunAt) / 1_000)
  } finally {
    await client.query('DROP TABLE bench_rows')
  }
}

/** Lets callers place instances, first without counting, and returns how many claims were made in a second. */
async function placeFor({ url }: Service, { hosts, callers, seconds }: Sizes, seed: string): Promise<number> {
  const tally = createTally()
  const mix = { select: 100, claim: 0, release: 0, report: 0, heartbeat: 0 }
  const work = startWork({ url, key: ADMIN_KEY, callers, hosts, mix, seed, tally })
  await sleep(seconds * 250)
  tally.start()
  await sleep(seconds * 1_000)
  const measured = tally.stop()
  await work.stop()
  const { count, first } = tally.failures
  if (count > 0) throw new Error(`expected that no call fails, found ${count}, first: ${first}`)
  return tally.placements / measured
}

async function fill({ client }: Service, hosts: number): Promise<void> {
  for (let first = 0; first < hosts; first += AT_ONCE) {
    const updates = Array.from({ length: Math.min(AT_ONCE, hosts - first) }, (_, i) => reportOf(first + i, 1))
    const { document, variables } = reportCall(updates)
    await client.request(document, variables)
  }
}
