import { Badge, Group, Text } from '@mantine/core'
import { formatCount, formatNumber } from '../../../lib/format.ts'
import type { Decision } from '../decision-header.tsx'

type Outcome = NonNullable<Decision['solver']>

/**
 * The solver's result: whether its arrangement was used and why, the value of the arrangement, and the progress of the search. Empty
 * without a solver.
 */
export function SolverOutcome({ solver }: { readonly solver: Outcome | null }) {
  if (solver === null) return null
  const { status, taken, text, detail } = solver
  return (
    <section aria-label="Solver">
      <Text component="h2" fw={600} size="md">
        All instances together
      </Text>
      <Group gap="xs">
        <Badge variant="light" color={taken === 'SOLVER' ? 'green' : 'gray'} tt="none" data-solver={taken}>
          {taken === 'SOLVER' ? 'by the solver' : 'by the filter scheduler'}
        </Badge>
        <Text size="sm" component="span">
          <span className="mono">{status}</span> {text}
          {detail === null ? '' : ` (${detail})`}
        </Text>
      </Group>
      <Group gap="md">
        {numbersOf(solver).map(([name, value]) => (
          <Text size="sm" component="span" key={name} data-number={name}>
            <span className="dimmed">{name}</span> {value}
          </Text>
        ))}
      </Group>
    </section>
  )
}

const numbersOf = ({ objective, filterObjective, bound, gap, nodes, columns, rows, candidates, passing }: Outcome) =>
  [
    ['objective', valueText(objective)],
    ['objective by filter', valueText(filterObjective)],
    ['bound', valueText(bound)],
    ['gap', gap === null ? 'none' : `${numberText(gap * 100)} %`],
    ['nodes', formatCount(nodes)],
    ...(columns === null || rows === null ? [] : [['program', `${formatCount(columns)} columns, ${formatCount(rows)} rows`] as const]),
    ...(candidates === null || passing === null
      ? []
      : [['considered', `${formatCount(candidates)} of ${formatCount(passing)} hosts that passed`] as const]),
  ] as const

const numberText = (value: number): string => formatNumber(Number(value.toFixed(4)))

const valueText = (value: number | null): string => (value === null ? 'none' : numberText(value))
