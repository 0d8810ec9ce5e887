import { removeAbandonedDatabases, startTestServer } from './test-database.ts'

/** Starts one PostgreSQL server for the whole test run, which each test file joins. The server stops when the last test run ends. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startTestServer()
  await removeAbandonedDatabases(server)
  return async () => {
    await server.stop()
  }
}
