import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { playCase, readTable } from '../../../../clients/cases/server.mjs'
import { runCase } from './run-case.ts'

// The table of clients/cases, which every client library of this repository must pass.

const table = readTable()

describe.concurrent('each case has the outcome that is the same for all clients', () => {
  test.each(table.cases.map((one) => [one.name, one] as const))('%s', async (name, one) => {
    const played = await playCase(table, name)
    try {
      await runCase(table, one, played)
    } finally {
      await played.close()
    }
  })
})

test('the command of clients/cases/README.md plays a case until its standard input ends', async () => {
  const [one] = table.cases
  if (one === undefined) throw new Error('the table has no case')
  const server = fileURLToPath(new URL('../../../../clients/cases/server.mjs', import.meta.url))
  const child = spawn(process.execPath, [server, one.name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [line] = await once(createInterface(child.stdout), 'line')
    await runCase(table, one, JSON.parse(line))
  } finally {
    child.stdin.end()
  }
  expect(await ended).toEqual([0, null])
})

test('a case that fails is reported: an outcome, an order or a key other than the expected one', async () => {
  const [one] = table.cases
  if (one === undefined) throw new Error('the table has no case')
  const wrong = [{ answer: 'NoValidHost' }, { answer: 'SelectDestinationsPayload', order: [1] }, { error: 'UNREACHABLE' }] as const
  for (const expectation of wrong) {
    const played = await playCase(table, one.name)
    try {
      await expect(runCase(table, { ...one, calls: [{ operation: 'select', expect: expectation }] }, played)).rejects.toThrow()
    } finally {
      await played.close()
    }
  }
})
