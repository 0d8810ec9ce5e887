import { expect, test } from 'vitest'
import { machineAt } from './machines.ts'
import { takeDue } from './run-fleet.ts'
import { createSimulatedHost, type SimulatedHost } from './simulated-host.ts'

test('if more machines are due than fit into one call, the longest waiting machines report first, and all report equally often', () => {
  const hosts = Array.from({ length: 2_500 }, (_, i) => createSimulatedHost(machineAt(i, 'sim'), 'incarnation', () => 0))
  const turns = new Map<SimulatedHost, number>()
  // All 2,500 machines are always due, and a call has 1,000 of them. In five calls each machine must report twice.
  for (const host of hosts) host.dueAt = 0
  for (let round = 0; round < 5; round++)
    for (const host of takeDue(hosts, 100_000)) {
      turns.set(host, (turns.get(host) ?? 0) + 1)
      host.dueAt += 10
    }
  expect([turns.size, new Set(turns.values())]).toEqual([2_500, new Set([2])])
})
