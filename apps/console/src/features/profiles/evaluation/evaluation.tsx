import { Button, Code, NativeSelect, Text } from '@mantine/core'
import { type FormEvent, useMemo, useState } from 'react'
import { queryClient } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useRun } from '../../../lib/service/use-run.ts'
import { PanelCall } from '../../../ui/dialog/panel-call.tsx'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { CHECK, type PROFILE } from '../documents.ts'
import { durationOf, nameOfWindow, type ProfileSearch, samples, windows } from '../search.ts'
import { Evaluated } from './evaluated.tsx'

interface EvaluationProps {
  readonly profile: NonNullable<ResultOf<typeof PROFILE>['profile']>
  /** The number of the evaluated version. */
  readonly number: number
  readonly search: ProfileSearch
  onSearch(search: ProfileSearch): void
}

/**
 * The evaluation of a version on the requests of the last hours. The evaluation takes time, so it runs only if the operator starts it, or
 * opens a link that starts it.
 */
export function Evaluation({ profile: { name, active, versions }, number, search, onSearch }: EvaluationProps) {
  const [runs, setRuns] = useState(0)
  const choices = choicesFor(versions.nodes, number)
  const own = active.number === number ? choices[0]?.number : active.number
  const against = Number(search.against ?? own ?? number)
  const last = search.last ?? '1h'
  const sample = search.sample ?? '200'
  /** Changes the inputs of the evaluation. The evaluation does not run again until the operator starts it. */
  const choose = (next: ProfileSearch): void => {
    const { check: _check, ...rest } = { ...search, version: String(number), ...next }
    onSearch(rest)
  }
  const run = (event: FormEvent): void => {
    event.preventDefault()
    void queryClient.resetQueries({ queryKey: ['ProfileCheck'] })
    setRuns(runs + 1)
    onSearch({ ...search, version: String(number), against: String(against), check: 'yes' })
  }
  return (
    <section aria-label="Effect on past requests">
      <Heading keys="4">Effect on past requests</Heading>
      {choices.length === 0 ? (
        <Empty title="There is no other version">
          Draft the next one: a draft can be compared before it is written. A file is tried by{' '}
          <Code>gantt profile check FILE --against last:24h</Code>, and written by <Code>gantt profile import</Code>.
        </Empty>
      ) : (
        <>
          <form onSubmit={run} className="profile-form">
            <NativeSelect
              size="xs"
              label="Requests of the"
              value={last}
              data={windows.map((value) => ({ value, label: nameOfWindow(value) }))}
              onChange={({ currentTarget: { value } }) => choose({ last: windows.find((one) => one === value) ?? '1h' })}
            />
            <NativeSelect
              size="xs"
              label="Maximum count of requests"
              value={sample}
              data={samples.map((value) => ({ value, label: `${value}, drawn evenly` }))}
              onChange={({ currentTarget: { value } }) => choose({ sample: samples.find((one) => one === value) ?? '200' })}
            />
            <NativeSelect
              size="xs"
              label="Compared with"
              value={String(against)}
              data={choices.map((one) => ({
                value: String(one.number),
                label:
                  one.number === number ? 'this version, for its filters in shadow mode' : `${name}@${one.number}, ${wordOf(one.state)}`,
              }))}
              onChange={({ currentTarget: { value } }) => choose({ against: value })}
            />
            <Button type="submit" size="xs" variant="outline">
              Decide the requests again
            </Button>
          </form>
          {search.check === 'yes' ? (
            <Answer key={runs} name={name} number={number} against={against} last={last} sample={sample} />
          ) : (
            <Text size="xs" c="dimmed">
              Each request is decided again by {name}@{number}
              {against === number ? ', and with each of its filters in shadow mode enforced' : ` and by ${name}@${against}`}, on the state
              that it met. Nothing is claimed.
            </Text>
          )}
        </>
      )}
    </section>
  )
}

type VersionNode = EvaluationProps['profile']['versions']['nodes'][number]

/**
 * The versions for the comparison, newest first. A version with filters in shadow mode can be compared with itself, to evaluate these
 * filters.
 */
function choicesFor(nodes: readonly VersionNode[], number: number): readonly VersionNode[] {
  const others = nodes.filter((one) => one.number !== number).reverse()
  const own = nodes.filter((one) => one.number === number && one.filters.some(({ shadow }) => shadow))
  return [...own, ...others]
}

const wordOf = (state: string): string => state.toLowerCase().replaceAll('_', ' ')

interface AnswerProps {
  readonly name: string
  readonly number: number
  readonly against: number
  readonly last: (typeof windows)[number]
  readonly sample: string
}

function Answer({ name, number, against, last, sample }: AnswerProps) {
  const variables = useMemo(
    () => ({
      baseline: `${name}@${against}`,
      candidate: { version: `${name}@${number}` },
      window: durationOf(last),
      sample: Number(sample),
    }),
    [name, number, against, last, sample],
  )
  const { data, error, isRunning, isCancelled, cancel, run, call } = useRun(CHECK, variables)
  return (
    <>
      <PanelCall of="Effect on past requests" {...call} />
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="Requests are being decided again." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The comparison was cancelled" onRun={run} /> : null}
      {data === undefined || isRunning ? null : <Evaluated comparison={data.compareProfiles} baseline={against} candidate={number} />}
    </>
  )
}
