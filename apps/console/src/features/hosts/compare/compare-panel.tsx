import { Button, Group, Text } from '@mantine/core'
import { useMemo } from 'react'
import { formatCount, formatPercent } from '../../../lib/format.ts'
import { shownNow } from '../../../lib/service/clock.ts'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import type { Fleet } from '../fleet.ts'
import { type ComparedField, type ComparedValue, compareHosts } from './compare-hosts.ts'
import './compare-panel.css'

interface ComparePanelProps {
  readonly fleet: Fleet
  /** The hosts that the filter finds. */
  readonly ordinals: Uint32Array
  readonly chosen: ReadonlyMap<unknown, number>
  /** Adds terms to the filter. */
  onNarrow(terms: string): void
  onClose(): void
}

/** Shows which values are more or less frequent among the selected hosts than among all others. */
export function ComparePanel({ fleet, ordinals, chosen, onNarrow, onClose }: ComparePanelProps) {
  const { inside, outside, fields } = useMemo(() => {
    const inside = ordinals.filter((ordinal) => chosen.has(ordinal))
    const outside = ordinals.filter((ordinal) => !chosen.has(ordinal))
    return { inside, outside, fields: compareHosts(fleet.store, inside, outside, shownNow()) }
  }, [fleet, ordinals, chosen])
  const differing = fields.filter(({ difference }) => difference > 0)
  const alike = fields.filter(({ difference }) => difference === 0)
  const canCompare = inside.length > 0 && outside.length > 0
  return (
    <section aria-label="Compare" className="compare">
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600} component="h2" data-inside={inside.length} data-outside={outside.length}>
          {formatCount(inside.length)} selected, compared with the other {formatCount(outside.length)} of the list
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={onClose}>
          Close
        </Button>
      </Group>
      {canCompare ? (
        <ScrollBox label="Attributes, the largest differences first" maxHeight="240px">
          <div className="compare-fields">
            {differing.map((one) => (
              <Field key={one.field} compared={one} inside={inside.length} outside={outside.length} onNarrow={onNarrow} />
            ))}
            {alike.length === 0 ? null : (
              <Text size="xs" c="dimmed">
                Same for the selected and all other hosts: {alike.map(({ field }) => field).join(', ')}.
              </Text>
            )}
          </div>
        </ScrollBox>
      ) : (
        <Text size="sm" c="dimmed">
          {inside.length === 0
            ? 'Select hosts of the list by x, by their checkboxes or by a frame on the map, to see how they differ from the others.'
            : 'All hosts of the list are selected. Use a wider filter to have others to compare them with.'}
        </Text>
      )}
    </section>
  )
}

interface FieldProps {
  readonly compared: ComparedField
  readonly inside: number
  readonly outside: number
  onNarrow(terms: string): void
}

function Field({ compared: { field, difference, values, omitted }, inside, outside, onNarrow }: FieldProps) {
  return (
    <section aria-label={field}>
      <Text size="xs" component="h3" fw={600}>
        {field} <span className="dimmed">differs by {formatPercent(100 * difference)}</span>
      </Text>
      {values.map((value) => (
        <Value key={value.terms} value={value} inside={inside} outside={outside} onNarrow={onNarrow} />
      ))}
      {omitted > 0 ? (
        <Text size="xs" c="dimmed">
          {formatCount(omitted)} more with smaller differences
        </Text>
      ) : null}
    </section>
  )
}

interface ValueProps extends Pick<FieldProps, 'inside' | 'outside' | 'onNarrow'> {
  readonly value: ComparedValue
}

/** A button that restricts the filter to this value. The list then shows all hosts with the value, selected or not. */
function Value({ value, inside, outside, onNarrow }: ValueProps) {
  const [here, there] = [(100 * value.inside) / inside, (100 * value.outside) / outside]
  const count = value.inside + value.outside
  return (
    <button
      type="button"
      className="compare-value"
      data-opens={count}
      title={`${value.label.slice(0, 200)}: ${formatCount(value.inside)} of ${formatCount(inside)} selected, ${formatCount(value.outside)} of ${formatCount(outside)} others`}
      onClick={() => onNarrow(value.terms)}
    >
      <span>{value.label}</span>
      <span className="compare-bars" aria-hidden>
        <i style={{ width: `${here}%` }} />
        <i style={{ width: `${there}%` }} />
      </span>
      <span className="number">
        {formatPercent(here)} : {formatPercent(there)}
      </span>
      <span className="number">{formatCount(count)}</span>
    </button>
  )
}
