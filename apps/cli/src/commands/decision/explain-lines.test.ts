import { expect, test } from 'vitest'
import { type Explained, toLines } from './explain-lines.ts'

/** A decision without a solver and without earlier attempts. Each test changes the fields that it tests. */
const DECISION: Explained['decision'] = {
  ...{ id: 'd1', at: '2026-01-15T12:00:00Z', outcome: 'PLACED', account: 'nova', attempt: 1, durationMs: null },
  ...{ explanationRetainedUntil: '2026-01-16T12:00:00Z', solver: null, lostTries: [], previous: null },
  spec: { vcpus: 1, memoryMb: 1_024, diskGb: 0, flavorName: null, numInstances: 1, availabilityZone: null },
}

const EXPLANATION: Explained['explanation'] = {
  ...{ headline: 'small was selected.', instanceIndex: 0, hostCount: 2, fidelity: 'REPLAYED', fleetRevision: '7' },
  ...{ profile: { profileName: 'default', number: 0 }, steps: [], shadowSteps: [], reasons: [], nearMisses: [] },
  selection: { text: 'The best host is selected.' },
  weighing: { candidateCount: 0, weighers: [], hosts: [] },
}

const weight = (weigher: string, weighted: number, multiplier: number, multiplierSource: string | null = null) => ({
  ...{ weigher, raw: weighted, missing: null as string | null, unit: 'points' },
  weighted,
  multiplier,
  multiplierSource,
})

test('a multiplier that an aggregate sets is shown with its source, even if it is 0 and disables the weigher', () => {
  const explained: Explained = {
    decision: DECISION,
    explanation: {
      ...EXPLANATION,
      weighing: {
        candidateCount: 2,
        weighers: [],
        hosts: [
          {
            ...{ hostName: 'small', node: 'small', host: null, outcome: 'SELECTED', rank: 1 },
            reportAge: 'PT90S',
            totalWeight: 10,
            weights: [
              weight('RAMWeigher', 10, 40, 'aggregate gold ram_weight_multiplier'),
              weight('CPUWeigher', 0, 0, 'aggregate gold cpu_weight_multiplier'),
            ],
          },
          {
            ...{ hostName: 'large', node: 'n2', host: null, outcome: 'ALTERNATE', rank: 2 },
            reportAge: null,
            totalWeight: 1,
            weights: [
              weight('RAMWeigher', 1, 1),
              weight('CPUWeigher', 0, 1),
              { ...weight('WattsWeigher', 0, 1), missing: 'The host has no document of the namespace power.' },
            ],
          },
        ],
      },
    },
  }
  const lines = toLines(explained, undefined)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  const text = lines.join(' ').replace(/ +/g, ' ')
  expect(text).toContain(
    'small SELECTED 90 s 10 RAMWeigher 10 (times 40, aggregate gold ram_weight_multiplier), CPUWeigher 0 (times 0, aggregate gold',
  )
  expect(text).toContain('WattsWeigher 0 (its value is not known: The host has no document of the namespace power.)')
  // A node whose name differs from its host's is printed as HOST/NODE, which other commands accept.
  expect(text).toMatch(/large\/n2 ALTERNATE none 1 RAMWeigher 1(?! \()/)
})

test('the outcome of the solver is shown with its objective and bound, and with the reason if another scheduler decided', () => {
  const solver: NonNullable<Explained['decision']['solver']> = {
    text: "The filter scheduler's arrangement had a higher objective.",
    status: 'FEASIBLE',
    taken: 'FILTER',
    objective: 1.5,
    filterObjective: 2,
    bound: 2.25,
    gap: 0.5,
    nodes: 7,
    candidates: 100,
    passing: 2_000,
    detail: null,
  }
  const explained: Explained = {
    decision: { ...DECISION, solver },
    explanation: { ...EXPLANATION, headline: 'Of 2 hosts none takes it.' },
  }
  const shownOf = (decision: Explained['decision']) => toLines({ ...explained, decision }, undefined).join(' ')
  expect(shownOf(explained.decision)).toContain('Solver FEASIBLE, not taken: the filter scheduler decided.')
  expect(shownOf(explained.decision)).toContain('bound 2.25, gap 50 %, 7 nodes')
  expect(shownOf({ ...explained.decision, solver: null })).not.toContain('Solver')
  expect(shownOf(explained.decision)).toContain('Of 2 hosts none takes it.')
})

test('earlier attempts are shown oldest first, with the hosts of each attempt and the reason why it had no effect', () => {
  const decision: Explained['decision'] = {
    ...{ ...DECISION, id: 'd3', durationMs: 0.43 },
    lostTries: [
      {
        attempt: 1,
        at: '2026-01-15T12:00:01Z',
        hostNames: ['b', 'gone', 'b/n1'],
        hosts: ['b', 'n1'].map((node) => ({ name: 'b', node, hasOtherNodes: true })),
        code: 'claim.no_room',
        text: 'Somebody was faster.',
      },
    ],
    previous: {
      id: 'd1',
      at: '2026-01-15T12:00:00Z',
      outcome: 'PLACED',
      lostTries: [],
      cause: null,
      destinations: [
        { selected: { host: { name: 'a', node: 'a', hasOtherNodes: true }, claim: { state: 'RELEASED', reason: 'no image' } } },
      ],
      previous: null,
    },
  }
  const text = toLines({ decision, explanation: EXPLANATION }, undefined).join('\n')
  expect(text).toContain('Decided by default@0 in 0.4 ms')
  expect(text.replace(/\n +/g, ' ')).toMatch(
    /Tried before\n1\. PLACED a\/a, claim RELEASED: no image \(d1, .*\)\n2\. b\/b, gone, b\/n1: Somebody was faster\. \(/,
  )
})
