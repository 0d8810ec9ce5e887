import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { program } from './checkout.ts'
import { type Goal, goals } from './goals.ts'
import type { Measured, NotRun, Outcome, Series, TargetQuestion } from './target.ts'

const CALLERS = 64
const OPERATIONS = 16
/** The option of `gantt loadtest` for several operations in one POST. */
const OPTION = '--operations'

/** What is read of the output of `gantt loadtest --json`. */
const loadSchema = z.object({
  failed: z.number(),
  placementsPerSecond: z.number(),
  overFloor: z.number().optional(),
  floorCpuMs: z.number().optional(),
  serviceCpuMs: z.number().optional(),
  postgresCpuMs: z.number().optional(),
  callersCpuMs: z.number().optional(),
})

type Load = z.infer<typeof loadSchema>

interface Sizes {
  readonly hosts: number
  readonly callers: number
  readonly seconds: number
}

/**
 * P6, P6b and P6c: placements that a real service answers over HTTP when they are durable, with its own PostgreSQL and with callers on the
 * same processors. The floor is a mutation that does nothing on a plain Yoga server. Each round is a run of `gantt loadtest`.
 */
export const callsTarget: TargetQuestion = {
  name: 'p6',
  goals: [goals.call, goals.manyCalls, goals.rate, goals.manyRate],
  rounds: 3,
  async run({ hosts = 10_000, rounds, seconds = 60 }) {
    const sizes = { hosts, callers: Math.min(hosts, CALLERS), seconds }
    const hasOperations = (await gantt(['loadtest', '--help'])).includes(OPTION)
    const loads: { single: Load[]; many: Load[] } = { single: [], many: [] }
    for (let round = 0; round < rounds; round++) {
      loads.single.push(await runLoad(sizes, []))
      if (hasOperations) loads.many.push(await runLoad(sizes, [OPTION, String(OPERATIONS)]))
    }
    const single = outcomesOf(loads.single, sizes, { call: goals.call, rate: goals.rate })
    const many = hasOperations
      ? outcomesOf(loads.many, sizes, { call: goals.manyCalls, rate: goals.manyRate })
      : [goals.manyCalls, goals.manyRate].map(
          (goal): NotRun => ({
            goal,
            reason: `gantt loadtest has no option ${OPTION} yet, because a POST has one operation`,
            command: `npm run loadtest -- --hosts ${hosts} --mix select=100 ${OPTION} ${OPERATIONS}`,
          }),
        )
    return [...single, ...many]
  },
}

async function runLoad({ hosts, callers, seconds }: Sizes, more: readonly string[]): Promise<Load> {
  const phases = Object.entries({ seconds, 'warm-up': Math.ceil(seconds / 5), floor: Math.max(1, Math.ceil(seconds / 12)) })
  const sizes = ['--hosts', String(hosts), '--callers', String(callers), ...phases.flatMap(([name, value]) => [`--${name}`, String(value)])]
  const load = loadSchema.parse(JSON.parse(await gantt(['loadtest', ...sizes, '--mix', 'select=100', '--json', ...more])))
  if (load.failed > 0) throw new Error(`expected that every check of gantt loadtest passes, found ${load.failed} that failed`)
  return load
}

/** Runs the command line and returns its output. Its messages are printed. */
async function gantt(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program(), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (code !== 0) throw new Error(`expected that gantt ${args.join(' ')} succeeds, found ${code ?? signal}`)
  return output
}

/** The outcomes of runs. The cost of a call is known only where the processor time of other processes can be read. */
function outcomesOf(
  loads: readonly Load[],
  { hosts, callers, seconds }: Sizes,
  about: { readonly call: Goal; readonly rate: Goal },
): Outcome[] {
  const series = (what: string, unit: Series['unit'], read: (load: Load) => number | undefined): Series => ({
    ...{ what, unit },
    values: loads.map(read).filter((value) => value !== undefined),
  })
  const size = `${hosts} hosts, ${callers} callers, ${seconds} s`
  const baseline = series('a mutation that does nothing on a plain Yoga server', 'ms', (load) => load.floorCpuMs)
  const parts = [
    series('the service, for each placement', 'ms', (load) => load.serviceCpuMs),
    series('PostgreSQL, for each placement', 'ms', (load) => load.postgresCpuMs),
    series('the callers, for each placement', 'ms', (load) => load.callersCpuMs),
  ]
  const { values } = series('', 'times', (load) => load.overFloor)
  if (values.length < loads.length) {
    const [reason, command] = ['the processor time of other processes is read from /proc, which does not exist here', 'npm run bench -- p6']
    return Object.values(about).map((goal) => ({ goal, reason, command }))
  }
  const call: Measured = { goal: about.call, size, values, baseline, parts }
  const rate = series('', 'a second', (load) => load.placementsPerSecond)
  return [call, { goal: about.rate, size, values: rate.values, baseline, parts: [] }]
}
