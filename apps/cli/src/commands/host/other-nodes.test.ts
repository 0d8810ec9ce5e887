import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { oneLine } from '../../testing/gantt.ts'
import { useOwnService } from '../../testing/own-service.ts'

/**
 * In these tests, host fx has two nodes, and one of them is called fx too. This node is printed as fx/fx, because `fx` alone would mean all
 * nodes of the host.
 */

const own = useOwnService({ withFleet: false })
const { run } = own

beforeAll(async () => {
  const report = (node: string, vcpus: number) => ({
    name: { host: 'fx', node },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full: { vcpus, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 0, localGbUsed: 0, runningVms: 0 } },
  })
  const { updateResourceStats } = await own.service.client.request<{ updateResourceStats: { results: object[] } }>(
    'mutation ($updates: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $updates }) { results { __typename } } }',
    { updates: [report('fx', 4), report('n1', 8)] },
  )
  expect(updateResourceStats.results).toEqual([{ __typename: 'ResourceStatsApplied' }, { __typename: 'ResourceStatsApplied' }])
})

/** Writes a file with a request for this many CPUs that admits only node fx of host fx. Returns the path of the file. */
function asking(vcpus: number): string {
  const file = path.join(own.folder, `${vcpus}.json`)
  fs.writeFileSync(file, JSON.stringify({ flavor: { vcpus, memoryMb: 64 }, forceHosts: ['fx'], forceNodes: ['fx'] }))
  return file
}

test('simulate prints the node of a host with several nodes as HOST/NODE', async () => {
  const { out, err } = await run('simulate', '--spec', asking(3))
  expect([err, out]).toEqual(['', expect.stringMatching(/\nfx\/fx +1\n/)])
})

test('what-would-fit prints the node of a host with several nodes as HOST/NODE, in its sentence and in its table', async () => {
  const { out } = await run('what-would-fit', '--spec', asking(6))
  expect(out.replaceAll(/\s+/g, ' ')).toContain('unlocks 1 host (fx/fx). ')
  expect(out).toMatch(/ fx\/n1\n/)
  const less = await run('what-would-fit', '--spec', asking(6), '--json')
  const { counterfactuals } = oneLine<{ counterfactuals: { text: string; exampleHosts: object[] }[] }>(less)
  const onFx = counterfactuals.filter(({ text }) => text.includes('(fx/fx)'))
  expect(onFx[0]?.exampleHosts[0]).toEqual({ hostName: 'fx', node: 'fx', hasOtherNodes: true })
})

test('if a drain finds no host for an instance, the node of the drained host is printed as HOST/NODE', async () => {
  expect((await run('select', '--spec', asking(3))).code).toBe(0)
  // the report does not contain the number of instances that is shown, so the line must not name the report as its source
  const shown = await run('host', 'show', 'fx/fx')
  expect(shown.out).toMatch(/\nlast report +[^,\n]+ ago\n(?:.*\n)*instances +1 running or claimed\n/)
  const { out } = await run('capacity', '--vcpus', '1', '--memory-mb', '64', '--drain', 'fx/fx', '--drain', 'fx/n1')
  expect(out.replaceAll(/\s+/g, ' ')).toContain(' on fx/fx: ')
})

test('decisions and compare print the node of a host with several nodes as HOST/NODE', async () => {
  const { out } = await run('decisions')
  expect(out).toMatch(/PLACED .* fx\/fx\n/)
  const { decision } = oneLine<{ decision: { id: string } }>(await run('select', '--spec', asking(3), '--json'))
  const decisions = oneLine<{ decisions: { id: string }[] }>(await run('decisions', '--json')).decisions
  const placed = decisions.find(({ id }) => id !== decision.id)
  const compared = await run('compare', placed?.id ?? '', decision.id)
  expect(compared.out).toMatch(/\nfx\/fx +SELECTED -> /)
})
