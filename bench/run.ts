import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { questions } from './index.ts'
import { type Figure, isMet, type Question } from './question.ts'
import { toLines } from './table.ts'

const USAGE = `usage: npm run bench [-- NAME...] [--hosts N] [--rounds N] [--json]
measurements: ${questions.map(({ name }) => name).join(', ')}`

interface Answer {
  readonly question: Question
  readonly rounds: number
  readonly seconds: number
  readonly figures: readonly Figure[]
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
    options: { hosts: { type: 'string' }, rounds: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const unknown = positionals.find((given) => !questions.some(({ name }) => name === given))
  if (values.help === true || unknown !== undefined) {
    process.stderr.write(`${unknown === undefined ? '' : `There is no measurement ${unknown}.\n`}${USAGE}\n`)
    return unknown === undefined ? 0 : 2
  }
  const [hosts, rounds] = [whole('hosts', values.hosts), whole('rounds', values.rounds)]
  const answers: Answer[] = []
  for (const question of questions) {
    if (positionals.length > 0 && !positionals.includes(question.name)) continue
    process.stderr.write(`${question.name} ...\n`)
    const from = performance.now()
    const options = { hosts, rounds: rounds ?? question.rounds }
    const figures = await question.run(options)
    const answer = { question, rounds: options.rounds, seconds: Math.round((performance.now() - from) / 100) / 10, figures }
    answers.push(answer)
    if (values.json !== true) process.stdout.write(`${toLines(question, figures).join('\n')}\n\n`)
  }
  if (values.json === true) process.stdout.write(`${JSON.stringify({ machine: machine(), answers: answers.map(toJson) }, null, 2)}\n`)
  return 0
}

const machine = () => ({ node: process.version, cpu: cpus()[0]?.model ?? 'unknown', processors: availableParallelism() })

const toJson = ({ question: { name, asks, floor }, rounds, seconds, figures }: Answer) => ({
  name,
  asks,
  floor,
  rounds,
  seconds,
  figures: figures.map((figure) => ({ ...figure, met: isMet(figure) ?? null })),
})
