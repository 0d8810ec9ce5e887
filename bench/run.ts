import { availableParallelism, cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { questions } from './index.ts'
import { type Figure, isMet, type Question } from './question.ts'
import { toLines } from './table.ts'
import { targets } from './targets/index.ts'
import { type Outcome, outcomeToJson, type TargetQuestion } from './targets/target.ts'
import { targetLines } from './targets/target-lines.ts'

/** The name that stands for the measurements of all goals. */
const ALL_TARGETS = 'targets'

const USAGE = `usage: npm run bench [-- NAME...] [--hosts N] [--rounds N] [--seconds N] [--json]
goals for speed (${ALL_TARGETS} for all of them): ${targets.map(({ name }) => name).join(', ')}
other measurements: ${questions.map(({ name }) => name).join(', ')}
--seconds: how long a service is under load in each round of p6 and p8`

interface Answer {
  readonly question: Question
  readonly rounds: number
  readonly seconds: number
  readonly figures: readonly Figure[]
}

interface TargetAnswer {
  readonly question: TargetQuestion
  readonly seconds: number
  readonly outcomes: readonly Outcome[]
}

const whole = (name: string, text: string | undefined): number | undefined => {
  const value = text === undefined ? undefined : Number(text)
  if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) return value
  throw new RangeError(`--${name} is ${text}; it must be a whole number of 1 or more`)
}

/**
 * `npm run bench`: runs all measurements, or the named ones, one after the other. Returns the exit code, which does not depend on missed
 * targets.
 */
export async function runBench(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ hosts: { type: 'string' }, rounds: { type: 'string' }, seconds: { type: 'string' } },
      ...{ json: { type: 'boolean' }, help: { type: 'boolean' } },
    },
  })
  const names = new Set([ALL_TARGETS, ...[...targets, ...questions].map(({ name }) => name)])
  const unknown = positionals.find((given) => !names.has(given))
  if (values.help === true || unknown !== undefined) {
    process.stderr.write(`${unknown === undefined ? '' : `There is no measurement ${unknown}.\n`}${USAGE}\n`)
    return unknown === undefined ? 0 : 2
  }
  const isAsked = (...allowed: readonly string[]): boolean => positionals.length === 0 || positionals.some((name) => allowed.includes(name))
  const [hosts, rounds, seconds] = [whole('hosts', values.hosts), whole('rounds', values.rounds), whole('seconds', values.seconds)]
  const say = (lines: readonly string[]): void => {
    if (values.json !== true) process.stdout.write(`${lines.join('\n')}\n\n`)
  }
  const targetAnswers: TargetAnswer[] = []
  for (const question of targets.filter(({ name }) => isAsked(name, ALL_TARGETS))) {
    const options = { hosts, rounds: rounds ?? question.rounds, seconds }
    const { result: outcomes, seconds: took } = await inTime(question.name, () => question.run(options))
    targetAnswers.push({ question, seconds: took, outcomes })
    say(targetLines(outcomes))
  }
  const answers: Answer[] = []
  for (const question of questions.filter(({ name }) => isAsked(name))) {
    const options = { hosts, rounds: rounds ?? question.rounds }
    const { result: figures, seconds: took } = await inTime(question.name, () => question.run(options))
    answers.push({ question, rounds: options.rounds, seconds: took, figures })
    say(toLines(question, figures))
  }
  if (values.json === true)
    process.stdout.write(
      `${JSON.stringify({ machine: machine(), targets: targetAnswers.flatMap(targetToJson), answers: answers.map(toJson) }, null, 2)}\n`,
    )
  return 0
}

/** Runs a measurement, and says how many seconds it took. */
async function inTime<T>(name: string, run: () => T | Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  process.stderr.write(`${name} ...\n`)
  const from = performance.now()
  const result = await run()
  return { result, seconds: Math.round((performance.now() - from) / 100) / 10 }
}

/** The machine, with the load of the last 15 minutes before the output, which shows whether other programs ran too. */
const machine = () => ({
  node: process.version,
  cpu: cpus()[0]?.model ?? 'unknown',
  processors: availableParallelism(),
  load: Math.round((loadavg()[2] ?? 0) * 100) / 100,
})

const targetToJson = ({ question: { name }, seconds, outcomes }: TargetAnswer) =>
  outcomes.map((outcome) => ({ name, seconds, ...outcomeToJson(outcome) }))

const toJson = ({ question: { name, asks, floor }, rounds, seconds, figures }: Answer) => ({
  name,
  asks,
  floor,
  rounds,
  seconds,
  figures: figures.map((figure) => ({ ...figure, met: isMet(figure) ?? null })),
})
