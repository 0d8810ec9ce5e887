import { removeAbandonedDatabases, startTestServer } from './test-database.ts'

/** Keeps one server up for the whole run, so that each test file only joins it; it stops when the last run ends. */
export default async function setup(): Promise<() => Promise<void>> {
  const server = await startTestServer()
  await removeAbandonedDatabases(server)
  return async () => {
    await server.stop()
  }
}
