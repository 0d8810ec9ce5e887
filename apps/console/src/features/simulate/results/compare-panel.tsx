import { Button, Loader, Table, Text } from '@mantine/core'
import { StepSample } from '../../../ui/chart/step-chart.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { problemOf } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { withIndexes } from '../scenarios.ts'
import { askedRows, type ComparedRow, type Known, resultRows, verdictOf } from './compared.ts'
import type { Answer } from './use-answers.ts'

interface ComparePanelProps {
  readonly answers: readonly Answer[]
  readonly names: readonly string[]
  /** The index of the scenario that is being edited. Its results are shown in full below. */
  readonly on: number
}

/** Scenarios in columns: the differences between their requests, and their results. */
export function ComparePanel({ answers, names, on }: ComparePanelProps) {
  const known: readonly Known[] = answers.map(({ simulation, capacity }) => ({
    simulation: simulation.isRunning ? undefined : simulation.data?.simulate,
    capacity: capacity.isRunning ? undefined : capacity.data?.capacity,
  }))
  const asked = askedRows(answers.map(({ scenario }) => scenario))
  const verdicts = answers.slice(1).flatMap((_, i) => verdictOf(names, known, i + 1) ?? [])
  return (
    <section aria-label="Comparison">
      <Heading keys="4">Comparison</Heading>
      <Text size="sm" role="status" data-verdicts={verdicts.length}>
        {verdicts.join(' ')}
      </Text>
      <ScrollBox label="Comparison of scenarios">
        <Table verticalSpacing={2} horizontalSpacing="xs" fz="sm" className="simulate-compared">
          <Table.Thead>
            <Table.Tr>
              <Table.Th />
              {withIndexes(names).map(({ one: name, index }) => (
                <Table.Th key={index} aria-current={index === on ? 'true' : undefined}>
                  <StepSample look={index} /> {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Group columns={answers.length}>Differences between the scenarios</Group>
            {asked.length === 0 ? (
              <Table.Tr>
                <Table.Td />
                <Table.Td colSpan={answers.length} data-same>
                  None.
                </Table.Td>
              </Table.Tr>
            ) : (
              asked.map((row) => <Row key={row.label} row={row} />)
            )}
            <Group columns={answers.length}>Results</Group>
            {answers.every(isDone) ? null : (
              <Table.Tr>
                <Table.Td />
                {withIndexes(answers).map(({ one, index }) => (
                  <Table.Td key={index} data-column={index + 1}>
                    <State answer={one} name={names[index] ?? ''} />
                  </Table.Td>
                ))}
              </Table.Tr>
            )}
            {resultRows(known).map((row) => (
              <Row key={row.label} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
      <Text size="xs" c="dimmed">
        ≠ marks values that differ. + and − count from “{names[0]}”.
      </Text>
    </section>
  )
}

function Group({ columns, children }: { readonly columns: number; readonly children: string }) {
  return (
    <Table.Tr>
      <Table.Th colSpan={columns + 1} scope="colgroup" className="simulate-group">
        {children}
      </Table.Th>
    </Table.Tr>
  )
}

function Row({ row: { label, cells, differs } }: { readonly row: ComparedRow }) {
  return (
    <Table.Tr data-row={label} data-differs={differs}>
      <Table.Th scope="row">
        {differs ? '≠ ' : ''}
        {label}
      </Table.Th>
      {withIndexes(cells).map(({ one: cell, index }) => (
        <Table.Td key={index} title={cell?.title}>
          {cell === undefined ? (
            ''
          ) : (
            <>
              {cell.text}
              {cell.delta === undefined ? null : <b> ({cell.delta})</b>}
            </>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  )
}

const partsOf = ({ simulation, capacity }: Answer) => [simulation, capacity]

const isDone = (answer: Answer): boolean => partsOf(answer).every(({ data, isRunning }) => data !== undefined && !isRunning)

/** The state of a column without a complete answer: running, cancelled, or failed. */
function State({ answer, name }: { readonly answer: Answer; readonly name: string }) {
  const parts = partsOf(answer)
  const running = parts.filter(({ isRunning }) => isRunning)
  const failed = parts.filter(({ error, isRunning }) => error !== null && !isRunning)
  const cancelled = parts.filter(({ isCancelled }) => isCancelled)
  const problems = new Map(failed.map(({ error }) => problemOf(error)).map((problem) => [problem.text, problem]))
  const again = [...failed, ...cancelled]
  if (running.length > 0)
    return (
      <span className="simulate-state">
        <Loader size="xs" aria-hidden /> being decided
        <Button
          size="compact-xs"
          variant="subtle"
          aria-label={`Cancel ${name}`}
          title="Esc cancels all"
          onClick={() => {
            for (const { cancel } of running) cancel()
          }}
        >
          Cancel
        </Button>
      </span>
    )
  if (again.length === 0) return 'done'
  return (
    <span className="simulate-state">
      {[...problems.values()].map(({ title, text, code }) => (
        <span key={text} role="alert" data-code={code}>
          ! {title}: {text}
        </span>
      ))}
      {problems.size === 0 ? <span>cancelled</span> : null}
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={`Run ${name} again`}
        onClick={() => {
          for (const { run } of again) run()
        }}
      >
        Run again
      </Button>
    </span>
  )
}
