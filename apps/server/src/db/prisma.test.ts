import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { TIMEOUTS, TRANSACTIONS } from './session.ts'

test('three known files set the timeout of a connection, and Prisma waits longer than the pool', () => {
  expect(TRANSACTIONS.maxWait).toBeGreaterThan(TIMEOUTS.connectionTimeoutMillis)
  expect(TRANSACTIONS.maxWait).toBeLessThan(2 * TIMEOUTS.connectionTimeoutMillis)
  const stating = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /(?:connectionTimeoutMillis|maxWait): [\dA-Z]/.test(readFileSync(path.join(import.meta.dirname, file), 'utf8')))
  // migrate.ts uses the limit of session.ts; database-watch.ts has its own shorter limit, because it checks the database every second
  expect(stating.sort()).toEqual(['database-watch.ts', 'migrate.ts', 'session.ts'])
})
