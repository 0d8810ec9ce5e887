import { removeAbandonedDatabases, startTestServer } from './test-database.ts'

/** Runs one server for the whole test run, so that each test file only joins it. It stops when the last run ends. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startTestServer()
  await removeAbandonedDatabases(server)
  return async () => {
    await server.stop()
  }
}
