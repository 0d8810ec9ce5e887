import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { countSynchronous, makeStandby, promote, REPLICATED, waitForStandbys } from './standby.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start.ts'

test('a standby has every acknowledged commit, replaces a killed primary, and the former primary then becomes its standby', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-standby-'))
  fs.chmodSync(folder, 0o711)
  const [a, b] = [path.join(folder, 'a'), path.join(folder, 'b')]
  const servers: EmbeddedPostgres[] = []
  const start = async (stateDir: string): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ stateDir, settings: REPLICATED })
    servers.push(server)
    return server
  }
  const query = async (server: EmbeddedPostgres, text: string): Promise<pg.QueryResult> => {
    const client = new pg.Client(server.connection())
    await client.connect()
    try {
      return await client.query(text)
    } finally {
      await client.end()
    }
  }
  try {
    const first = await start(a)
    await query(first, 'CREATE TABLE kept (n int)')
    await waitForStandbys(first)
    await makeStandby(first.connection(), a, b)
    const second = await start(b)
    await expect.poll(() => countSynchronous(first)).toBe(1)
    await query(first, 'INSERT INTO kept SELECT generate_series(1, 1000)')
    await expect(query(second, 'INSERT INTO kept VALUES (0)')).rejects.toMatchObject({ code: '25006' })

    process.kill(first.pid as number, 'SIGKILL')
    await promote(second)
    expect((await query(second, 'SELECT count(*)::int AS n FROM kept')).rows).toEqual([{ n: 1000 }])

    await makeStandby(second.connection(), b, a)
    await start(a)
    await expect.poll(() => countSynchronous(second)).toBe(1)
    await query(second, 'INSERT INTO kept VALUES (0)')
  } finally {
    for (const server of servers.reverse()) await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
