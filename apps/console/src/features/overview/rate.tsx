import { Table, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { Heading } from '../../ui/heading.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Activity } from './figures.ts'

const WIDTH = 600
const HEIGHT = 80

/** How many decisions there were step by step, those that failed at the bottom; the numbers as a table below. */
export function Rate({ activity: { steps, decisions, failed } }: { readonly activity: Activity }) {
  const zone = useTimeZone()
  const most = Math.max(1, ...steps.map((step) => step.decisions))
  const [first] = steps
  const busy = steps.filter((step) => step.decisions > 0)
  const label = `${formatCount(decisions)} decisions, ${formatCount(failed)} of them failed; at most ${formatCount(most)} in one of ${steps.length} steps.`
  if (first === undefined) return null
  return (
    <section aria-label="Decisions over time">
      <Heading keys="4">Decisions over time</Heading>
      <svg className="overview-rate" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {steps.map(({ at, decisions: all, failed: bad }, i) => {
          const width = WIDTH / steps.length
          const height = (count: number): number => (HEIGHT * count) / most
          return (
            <g key={at}>
              <title>{`${formatTime(at, zone)}: ${formatCount(all)} decisions, ${formatCount(bad)} failed`}</title>
              <rect x={i * width} y={0} width={width} height={HEIGHT} fill="transparent" />
              <rect x={i * width} y={HEIGHT - height(all)} width={width - 1} height={height(all - bad)} className="overview-placed" />
              <rect x={i * width} y={HEIGHT - height(bad)} width={width - 1} height={height(bad)} className="overview-failed" />
            </g>
          )
        })}
      </svg>
      <Text size="xs" c="dimmed" className="overview-axis" component="div">
        <span title={titleOfTime(first.at)}>{formatTime(first.at, zone)}</span>
        <span>at most {formatCount(most)} a step</span>
        <span>now</span>
      </Text>
      <details>
        <summary>As a table</summary>
        <ScrollBox label="Decisions step by step" maxHeight="240px">
          <Table verticalSpacing={1} stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>From</Table.Th>
                <Table.Th className="number">Decisions</Table.Th>
                <Table.Th className="number">Failed</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {busy.map(({ at, decisions: all, failed: bad }) => (
                <Table.Tr key={at}>
                  <Table.Td title={titleOfTime(at)}>{formatTime(at, zone)}</Table.Td>
                  <Table.Td className="number">{formatCount(all)}</Table.Td>
                  <Table.Td className="number">{formatCount(bad)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      </details>
    </section>
  )
}
