import { expect, test } from 'vitest'
import { widthOf } from '../../testing/gantt.ts'
import { type Comparison, toComparisonLines, toComparisonPage } from './compare-lines.ts'

const side: Comparison['a'] = {
  id: '0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11',
  at: '2026-11-21T15:00:00.000Z',
  outcome: 'PLACED',
  account: 'nova',
  fleetRevision: '88123',
  profile: { profileName: 'default', number: 14 },
  spec: { vcpus: 8, memoryMb: 32_768, diskGb: 80, numInstances: 1, availabilityZone: null },
}
const comparison: Comparison = {
  a: side,
  b: { ...side, outcome: 'NO_VALID_HOST' },
  fidelity: 'REPLAYED',
  approximateBecause: null,
  cause: 'FLEET',
  text: 'The first goes to cmp-0412, the second finds no host. The cause is the state of the fleet: with the state of the fleet of the second alone, the first finds no host too.',
  specChanges: [{ field: 'flavor.extraSpecs.aggregate_instance_extra_specs:ssd', before: null, after: 'nvme | <b>' }],
  profileChanges: [],
  fleetChangedHosts: 2,
  fleetChanges: [{ field: 'MEMORY_MB.free', hosts: 2 }],
  aInstanceIndex: 0,
  bInstanceIndex: 0,
  steps: [{ filter: 'AggregateInstanceExtraSpecsFilter', aEntered: 10_000, aPassed: 412, bEntered: null, bPassed: null }],
  trials: [],
  flippedCount: 12,
  flipped: [
    {
      hostName: 'cmp-0412-with-a-name-that-no-terminal-has-room-for.rack7.example.org',
      node: 'cmp-0412-with-a-name-that-no-terminal-has-room-for.rack7.example.org',
      hasOtherNodes: false,
      a: 'SELECTED',
      b: 'FILTERED',
      because: 'In the second decision, RamFilter refused it. Memory: 32768 MiB needed, 30000 free.',
    },
  ],
}

test('a comparison begins with the cause, and all of its lines fit 80 columns', () => {
  const lines = toComparisonLines(comparison)
  expect(lines[0]).toMatch(/^FLEET: The first goes to cmp-0412/)
  expect(widthOf(lines.join('\n'))).toBeLessThanOrEqual(80)
  expect(lines).toContain('The fleets differ in 2 hosts')
  expect(lines).toContain('12 hosts with different results in the two decisions; the first 1')
  expect(lines.join('\n')).not.toContain('The profiles differ in')
  expect(lines.join('\n')).not.toContain('Approximate')
})

test('the page for a ticket has the same content, and text from callers cannot become markup', () => {
  const page = toComparisonPage({
    ...comparison,
    fidelity: 'APPROXIMATE',
    approximateBecause: 'The first was decided by release 0.1.0; this is 0.2.0.',
  }).join('\n')
  expect(page).toMatch(/^### FLEET: two decisions compared\n\nThe first goes to/)
  expect(page).toContain('| - | nvme \\| &lt;b&gt; |')
  expect(page).toContain('| AggregateInstanceExtraSpecsFilter | 10000 | 412 | - | - |')
  expect(page).toContain('Approximate. The first was decided by release 0.1.0')
})

test('if the log no longer contains one of the states, the note is shown and no differences between the fleets are listed', () => {
  const because = 'The log no longer contains revision 12 of the first: the answer is based on its record.'
  const gone = { approximateBecause: because, fleetChangedHosts: null, fleetChanges: [] }
  const lines = toComparisonLines({ ...comparison, ...gone, cause: 'UNKNOWN', fidelity: 'APPROXIMATE' }).join('\n')
  expect(lines.replaceAll('\n', ' ')).toContain(`Approximate. ${because}`)
  expect(lines).not.toContain('The fleets differ')
})
