import {
  copyFleet,
  DEFAULT_SOLVER_OPTIONS,
  type Fleet,
  formulate,
  type Overlay,
  openOverlay,
  type Profile,
  parseProfile,
  type RequestSpec,
  type Solution,
} from '@gantt/scheduler-core'
import { aRequest, aUuid } from '@gantt/scheduler-core/testing'
import { aLogOf, defaultProfile, scan } from './fleet.ts'
import { measureInTurns, samplesOf } from './measure.ts'
import type { Figure, Question } from './question.ts'

const asked = {
  'ten alike': { numInstances: 10 },
  '100 instances of two kinds': { numInstances: 100, gang: [{ name: 'large', instances: 40, flavor: { vcpus: 2, memoryMb: 2_048 } }] },
  '40 instances spread over zones': {
    numInstances: 40,
    instanceGroup: { uuid: aUuid(1), policy: 'SOFT_ANTI_AFFINITY' },
    topologySpread: [{ topologyKey: 'zone', maxSkew: 1 }],
  },
} satisfies Readonly<Record<string, Parameters<typeof aRequest>[0]>>

/** Measures the part of a solved batch that runs in the thread that answers calls. The solver HiGHS runs in a separate thread. */
export const solverQuestion: Question = {
  name: 'solver',
  asks: 'How long does a solved batch block other calls?',
  floor: 'the same request by the filter scheduler',
  rounds: 12,
  async run({ hosts = 10_000, rounds }) {
    const { fleet } = aLogOf(hosts)
    const profile = asSolver(defaultProfile(fleet))
    const figures: Figure[] = []
    for (const [name, ask] of Object.entries(asked)) {
      const request = aRequest({ vcpus: 1, memoryMb: 1_024, ...ask })
      const solution = asSolved(fleet, request)
      const longest: number[] = []
      const { filter, formulated, decided } = await measureInTurns(rounds, {
        filter: () => scan(fleet, request),
        formulated: () => longest.push(formulateOn(copyFleet(fleet), profile, request)),
        decided: () => scan(fleet, request, { profile, solution }),
      })
      const what = `${hosts} hosts, ${name}`
      const piece = samplesOf(longest.slice(Math.ceil(rounds / 4)))
      figures.push(
        { what: `${what}; by filter`, unit: 'ms', ...filter, ratio: null },
        { what: `${what}; formulation, total`, unit: 'ms', ...formulated, ratio: formulated.median / filter.median },
        { what: `${what}; formulation, longest step`, unit: 'ms', ...piece, ratio: piece.median / filter.median },
        { what: `${what}; decided`, unit: 'ms', ...decided, ratio: decided.median / filter.median },
      )
    }
    return figures
  },
}

function asSolver(profile: Profile): Profile {
  const parsed = parseProfile({ ...profile, name: 'batch', number: 1, scheduler: 'solver' })
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
  return parsed.value
}

/** The placements of the filter scheduler as a solver's answer. Deciding with them costs as much as with any other answer. */
function asSolved(fleet: Fleet, request: RequestSpec): Solution {
  const hosts = scan(fleet, request).parts.map(({ host, node }) => ({ host, node }))
  const numbers = { objective: null, bound: null, gap: null, nodes: 0, size: null, detail: null }
  return { status: 'FEASIBLE', hosts, ...numbers, limits: DEFAULT_SOLVER_OPTIONS }
}

/** Formulates a program step by step. Returns the CPU time of the longest step in milliseconds. */
function formulateOn(own: Fleet, profile: Profile, request: RequestSpec): number {
  const overlay: Overlay = openOverlay(own)
  const steps = formulate(profile, request, own, overlay, { seed: 'seed' })
  let longest = 0
  for (let isOver = false; !isOver; ) {
    const from = process.cpuUsage()
    isOver = steps.next().done === true
    const { user, system } = process.cpuUsage(from)
    longest = Math.max(longest, (user + system) / 1_000)
  }
  overlay.discard()
  return longest
}
