import { expect, test } from 'vitest'
import { type Explained, toLines } from './explain-lines.ts'

const weight = (weigher: string, weighted: number, multiplier: number, multiplierSource: string | null = null) => ({
  weigher,
  weighted,
  multiplier,
  multiplierSource,
})

test('a multiplier that an aggregate gave is told with its source, also where it takes a weigher out', () => {
  const explained: Explained = {
    decision: {
      id: 'd1',
      at: '2026-01-15T12:00:00Z',
      outcome: 'PLACED',
      account: 'nova',
      spec: { vcpus: 1, memoryMb: 1_024, diskGb: 0, numInstances: 1, availabilityZone: null },
    },
    explanation: {
      headline: 'small was taken.',
      instanceIndex: 0,
      hostCount: 2,
      fidelity: 'REPLAYED',
      fleetRevision: '7',
      profile: { profileName: 'nova', number: 0 },
      steps: [],
      reasons: [],
      selection: { text: 'The best host is taken.' },
      nearMisses: [],
      weighing: {
        candidateCount: 2,
        weighers: [],
        hosts: [
          {
            hostName: 'small',
            node: 'small',
            outcome: 'SELECTED',
            reportAge: 'PT90S',
            totalWeight: 10,
            weights: [
              weight('RAMWeigher', 10, 40, 'aggregate gold ram_weight_multiplier'),
              weight('CPUWeigher', 0, 0, 'aggregate gold cpu_weight_multiplier'),
            ],
          },
          {
            hostName: 'large',
            node: 'n2',
            outcome: 'ALTERNATE',
            reportAge: null,
            totalWeight: 1,
            weights: [weight('RAMWeigher', 1, 1), weight('CPUWeigher', 0, 1)],
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
  // a node that has a name of its own is printed as other commands take it
  expect(text).toMatch(/large\/n2 ALTERNATE none 1 RAMWeigher 1(?! \()/)
})

test('how the solver fared is told with its numbers, and why it was not followed', () => {
  const solver = {
    text: 'The filter scheduler had an arrangement that is worth more.',
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
    decision: {
      id: 'd1',
      at: '2026-01-15T12:00:00Z',
      outcome: 'PLACED',
      account: 'nova',
      solver,
      spec: { vcpus: 1, memoryMb: 1_024, diskGb: 0, numInstances: 2, availabilityZone: null },
    },
    explanation: {
      headline: 'Of 2 hosts none takes it.',
      instanceIndex: 0,
      hostCount: 0,
      fidelity: 'REPLAYED',
      fleetRevision: '7',
      profile: { profileName: 'batch', number: 1 },
      steps: [],
      reasons: [],
      selection: { text: 'The best host is taken.' },
      nearMisses: [],
      weighing: { candidateCount: 0, weighers: [], hosts: [] },
    },
  }
  const told = (decision: Explained['decision']) => toLines({ ...explained, decision }, undefined).join(' ')
  expect(told(explained.decision)).toContain('Solver FEASIBLE, not taken: the filter scheduler decided.')
  expect(told(explained.decision)).toContain('bound 2.25, gap 50 %, 7 nodes')
  expect(told({ ...explained.decision, solver: null })).not.toContain('Solver')
  expect(told(explained.decision)).toContain('Of 2 hosts none takes it.')
})

test('the tries before are told, oldest first, with the host that each lost and why', () => {
  const decision = {
    id: 'd3',
    at: '2026-01-15T12:00:02Z',
    outcome: 'PLACED',
    account: 'nova',
    durationMs: 0.43,
    spec: { vcpus: 1, memoryMb: 1_024, diskGb: 0, numInstances: 1, availabilityZone: null },
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
  const explanation = {
    headline: 'c was taken.',
    instanceIndex: 0,
    hostCount: 3,
    fidelity: 'REPLAYED',
    fleetRevision: '9',
    profile: { profileName: 'default', number: 0 },
    steps: [],
    reasons: [],
    selection: { text: 'The best host is taken.' },
    nearMisses: [],
    weighing: { candidateCount: 0, weighers: [], hosts: [] },
  }
  const text = toLines({ decision, explanation }, undefined).join('\n')
  expect(text).toContain('Decided by default@0 in 0.4 ms')
  expect(text.replace(/\n +/g, ' ')).toMatch(
    /Tried before\n1\. PLACED a\/a, claim RELEASED: no image \(d1, .*\)\n2\. b\/b, gone, b\/n1: Somebody was faster\. \(/,
  )
})
