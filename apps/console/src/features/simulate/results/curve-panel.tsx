import { NativeSelect, Text } from '@mantine/core'
import { type ReactNode, useId, useState } from 'react'
import { formatCount, formatPercent } from '../../../lib/format.ts'
import { StepChart, StepSample } from '../../../ui/chart/step-chart.tsx'
import { Heading } from '../../../ui/heading.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { type Curve, classesOf, placedLine, pointAt, spacingOf, stepsOf, usedLine } from './curve.ts'
import './curve-panel.css'

/** The curve of a scenario. `index` is the index of the scenario, which determines the style of the line. */
interface DrawnCurve {
  readonly name: string
  readonly index: number
  readonly curve: Curve
}

interface CurvePanelProps {
  /** The curves of scenarios that have an answer. */
  readonly curves: readonly DrawnCurve[]
  /** The resource class whose usage is drawn. The default is the class with the highest usage at the end. */
  readonly resourceClass: string | undefined
  onResourceClass(resourceClass: string): void
}

/**
 * Draws the count of placed instances and the usage of the fleet over the count of requested instances. All scenarios have the same axes.
 */
export function CurvePanel({ curves, resourceClass, onResourceClass }: CurvePanelProps) {
  const drawn = curves.map(({ curve }) => curve)
  const asked = Math.max(0, ...drawn.map((curve) => curve.at(-1)?.asked ?? 0))
  const [chosen, setCursor] = useState<number>()
  const id = useId()
  if (asked < 2)
    return (
      <Section>
        <Text size="sm" c="dimmed">
          {curves.length === 0 ? 'There is no curve yet.' : 'A single instance has no curve: enter a number of instances.'}
        </Text>
      </Section>
    )
  const classes = classesOf(drawn)
  const shown = resourceClass !== undefined && classes.includes(resourceClass) ? resourceClass : (classes[0] ?? '')
  const cursor = Math.min(asked, chosen ?? asked)
  const chart = { cursor, onCursor: setCursor }
  const placed = Math.max(1, ...drawn.map((curve) => curve.at(-1)?.placed ?? 0))
  const spacing = Math.max(...drawn.map(spacingOf))
  return (
    <Section>
      <ul className="simulate-lines" aria-label={`At ${formatCount(cursor)} requested`}>
        {curves.map(({ name, index: position, curve }) => (
          <li key={position} data-line={position}>
            <StepSample look={position} /> <span>{name}</span> <span className="dimmed">{textAt(curve, cursor, shown)}</span>
          </li>
        ))}
      </ul>
      <div className="simulate-axis">
        <span>placed, up to {formatCount(placed)}</span>
      </div>
      <StepChart
        {...chart}
        label={`Placed and requested instances: ${curves.map(({ name, curve }) => `${name} ${textAt(curve, asked, shown)}`).join('; ')}.`}
        lines={curves.map(({ name, index: position, curve }) => ({ name, look: position, points: placedLine(curve) }))}
        most={{ x: asked, y: placed }}
      />
      <div className="simulate-axis">
        <NativeSelect
          size="xs"
          aria-label="Resource class whose usage is drawn"
          value={shown}
          data={[...classes]}
          onChange={({ currentTarget: { value } }) => onResourceClass(value)}
        />
        <span>used of the whole fleet, up to 100 %</span>
      </div>
      <StepChart
        {...chart}
        label={`${shown} used, in per cent of the whole fleet, against requested instances.`}
        lines={curves.map(({ name, index: position, curve }) => ({ name, look: position, points: usedLine(curve, shown) }))}
        most={{ x: asked, y: 100 }}
      />
      <input
        type="range"
        className="simulate-cursor"
        min={0}
        max={asked}
        value={cursor}
        aria-label="Instances requested"
        aria-describedby={id}
        onChange={({ currentTarget: { value } }) => setCursor(Number(value))}
      />
      <div className="simulate-axis">
        <span>0</span>
        <span data-cursor={cursor}>{formatCount(cursor)} requested</span>
        <span>{formatCount(asked)}</span>
      </div>
      <Text size="xs" c="dimmed" id={id}>
        {spacing > 1
          ? `Points are up to ${formatCount(spacing)} instances apart; there is one where the first request found no host. Between two points a line stays at the value of the first.`
          : 'Each instance has a point.'}
      </Text>
      <CurveTable curves={curves} resourceClass={shown} />
    </Section>
  )
}

function Section({ children }: { readonly children: ReactNode }) {
  return (
    <section aria-label="Curve">
      <Heading keys="3">Placed and requested instances</Heading>
      {children}
    </section>
  )
}

/** The values of the chart as a table, for operators who cannot see the lines. */
function CurveTable({ curves, resourceClass }: { readonly curves: readonly DrawnCurve[]; readonly resourceClass: string }) {
  return (
    <details className="simulate-twin">
      <summary>As a table</summary>
      <SmallTable
        label="Placed and requested instances, point by point"
        maxHeight="240px"
        rows={stepsOf(curves.map(({ curve }) => curve))}
        rowKey={(asked) => asked}
        rowAttributes={(asked) => ({ 'data-asked': asked })}
        columns={[
          { head: 'Requested', isNumber: true, cell: formatCount },
          ...curves.map(({ name, curve }) => ({
            head: name,
            isNumber: true,
            cell: (asked: number) => textAt(curve, asked, resourceClass),
          })),
        ]}
      />
    </details>
  )
}

/** The value of a curve at a count of requested instances, as text. `-` if the curve has no point up to this count. */
function textAt(curve: Curve, asked: number, resourceClass: string): string {
  const point = pointAt(curve, asked)
  if (point === undefined) return '-'
  const used = usedLine([point], resourceClass)[0]
  return `${formatCount(point.placed)} of ${formatCount(point.asked)} placed${used === undefined ? '' : `, ${resourceClass} ${formatPercent(used.y)}`}`
}
