/** A limit for a value: the most or the least that it may be. */
export type Limit = { readonly most: number } | { readonly least: number }

/** The unit of a value. `times` is a ratio to the baseline of the same run. */
export type Unit = 'times' | '%' | 'us' | 'ms' | 's' | 'a second' | ''

/** What the project wants to reach. Ratios can be compared between machines, times only on one machine. */
export interface Goal {
  /** The name of the target, such as P1. Two goals can belong to one target. */
  readonly id: string
  readonly what: string
  readonly unit: Unit
  readonly target: Limit
  /** What would be better than the target. Null if there is no such wish. */
  readonly stretch: Limit | null
}

const times = (id: string, what: string, target: Limit, stretch: Limit | null): Goal => ({ id, what, unit: 'times', target, stretch })

/** The goals for speed, in the order in which they are printed. */
export const goals = {
  decisionMixed: times(
    'P1',
    'a columnar scan over an exact decision, both with the record; 4 % of hosts pass',
    { least: 15 },
    { least: 30 },
  ),
  decisionOpen: times('P1', 'a columnar scan over an exact decision, both with the record; all hosts pass', { least: 25 }, { least: 40 }),
  closuresMixed: times(
    'P2',
    'calling filters and weighers for each host over the decision; 4 % of hosts pass',
    { least: 500 },
    { least: 2_000 },
  ),
  closuresOpen: times(
    'P2',
    'calling filters and weighers for each host over the decision; all hosts pass',
    { least: 500 },
    { least: 2_000 },
  ),
  equality: { id: 'P3', what: 'decisions that equal the plain scan, bit for bit', unit: '%', target: { least: 100 }, stretch: null },
  size: times('P4', 'a decision on a fleet over one on a tenth of its hosts; 4 % of hosts pass', { most: 1.5 }, null),
  update: { id: 'P5', what: 'one host update, applied with all indexes', unit: 'us', target: { most: 1 }, stretch: { most: 0.3 } },
  call: times('P6', 'a durable placement over HTTP over a mutation that does nothing', { most: 1.5 }, { most: 1 }),
  manyCalls: times('P6b', 'the same with 16 operations in one POST, for each operation', { most: 0.5 }, { most: 0.25 }),
  rate: { id: 'P6c', what: 'placements, one in each POST', unit: 'a second', target: { least: 3_000 }, stretch: { least: 5_000 } },
  manyRate: { id: 'P6c', what: 'placements, 16 in each POST', unit: 'a second', target: { least: 6_000 }, stretch: { least: 10_000 } },
  further: { id: 'P7', what: 'each further instance of a request', unit: 'us', target: { most: 10 }, stretch: { most: 5 } },
  durable: times('P8', 'durable claims a second over commits of single rows on the same PostgreSQL', { least: 20 }, { least: 100 }),
  nova: times('P9', 'placements in a second of processor time over those of Nova with Placement', { least: 10_000 }, { least: 20_000 }),
  explanationMixed: times('P10', 'a full explanation over the columnar scan of P1; 4 % of hosts pass', { most: 20 }, { most: 8 }),
  explanationOpen: times('P10', 'a full explanation over the columnar scan of P1; all hosts pass', { most: 20 }, { most: 8 }),
  join: { id: 'P11', what: 'a replica joins and serves', unit: 's', target: { most: 1 }, stretch: { most: 0.5 } },
  console: { id: 'P12', what: 'the console can be used with 100,000 hosts', unit: 's', target: { most: 2 }, stretch: null },
  kube: times('P13', 'placements in a second of processor time over those of kube-scheduler with etcd', { least: 20 }, { least: 50 }),
  candidatesAll: times('P14', 'allocation_candidates with limit=1000 over the real Placement', { most: 1 / 20 }, { most: 1 / 100 }),
  candidatesOne: times('P14', 'allocation_candidates with limit=1 over the real Placement', { most: 1 / 100 }, { most: 1 / 500 }),
  allocations: times('P14', 'PUT allocations over the real Placement', { most: 1 / 100 }, { most: 1 / 200 }),
} as const satisfies Readonly<Record<string, Goal>>
