import { expect, test } from 'vitest'
import { toLines } from './show-lines.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const host = {
  ...{ gone: null, formerNames: [], name: 'h1', node: 'h1', hasOtherNodes: false, availabilityZone: 'nova', status: 'ENABLED' },
  ...{ statusReason: null, state: 'UP', stateReason: null, lastReportAt: null, runningVms: 0, traits: [], usedFrom: 'REPORT' },
  ...{ usedFromReason: null, warnings: [], told: [], capacity: [], numa: null, gpus: [], namespaces: [], aggregates: { nodes: [] } },
  claims: { totalCount: 0, nodes: [] },
}
const collector = {
  name: 'mine',
  namespace: 'power',
  state: 'PAUSED',
  intervalSeconds: null,
  error: null,
  reportedAt: '2026-11-20T09:00:00Z',
}
/** The host has only the fields that this test needs: the type of the query has many more. */
const shown = (outdated: boolean): string =>
  toLines({ ...host, collectors: [{ ...collector, outdated }] } as unknown as Parameters<typeof toLines>[0], NOW)
    .join(' ')
    .replaceAll(/\s+/g, ' ')

test('the state of a collector that its agent has not repeated is shown with its age', () => {
  expect(shown(false)).not.toMatch(/outdated|ago/)
  expect(shown(true)).toContain('(outdated: the agent reported this 3 h ago, and has not repeated it)')
})
