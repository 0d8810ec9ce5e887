import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/test-database.ts'
import { createLeaseStore } from './leases.ts'

test('if a connection ends while leases are read, only that read fails', async () => {
  const database = await createTestDatabase()
  const admin = new pg.Client(database.connection)
  await admin.connect()
  const leases = createLeaseStore({ ...database.connection, application_name: 'looks' })
  const looked = leases.look(60_000, async () => {
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'looks'`)
    // the connection reports its end between two statements
    await admin.query('SELECT pg_sleep(0.2)')
  })
  await expect(looked).rejects.toThrow()
  let isMine = false
  await leases.look(60_000, async (look) => {
    isMine = look.isMine
  })
  expect(isMine).toBe(true)
  await leases.close()
  await admin.end()
  await database.drop()
})
