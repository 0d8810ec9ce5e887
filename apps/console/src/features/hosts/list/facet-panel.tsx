import { facetFields } from '@gantt/scheduler-core/query'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { isChosen } from './filter-terms.ts'
import { type FacetName, type FacetValue, type HostSelection, inWords, NONE } from './select-hosts.ts'

const SHOWN_AT_FIRST = 6

export interface FacetPanelProps {
  readonly facets: HostSelection['facets']
  /** The filter, as its canonical text. */
  readonly text: string
  /** With `isAdded` the value is added to the selected values of the facet instead of replacing them. */
  onToggle(field: FacetName, value: string, isAdded: boolean): void
}

/**
 * For each facet, the values with the counts of hosts. A click filters by a value, or removes it from the filter. With Shift or Ctrl, the
 * click adds the value to those already selected.
 */
export function FacetPanel({ facets, text, onToggle }: FacetPanelProps) {
  return (
    <nav aria-label="Facets" className="facets">
      {facetFields.map(({ name, label }) => (
        <Facet key={name} title={label} field={name} values={facets[name]} text={text} onToggle={onToggle} />
      ))}
    </nav>
  )
}

interface FacetProps extends Omit<FacetPanelProps, 'facets'> {
  readonly title: string
  readonly field: FacetName
  readonly values: readonly FacetValue[]
}

function Facet({ title, field, values, text, onToggle }: FacetProps) {
  const [isLong, setLong] = useState(false)
  if (values.length === 0) return null
  const chosen = values.filter(({ value }) => isChosen(text, field, value))
  const most = values[0]?.count ?? 1
  const shown = isLong ? values : values.filter((one, i) => i < SHOWN_AT_FIRST || chosen.includes(one))
  return (
    <section aria-label={title}>
      <Text size="xs" fw={600} component="h2" mt="xs" mb={2}>
        {title}
      </Text>
      {shown.map(({ value, count }) => (
        <button
          key={value}
          type="button"
          className="facet"
          aria-pressed={chosen.some((one) => one.value === value)}
          title={value === NONE ? `${title} not reported` : value}
          onClick={({ shiftKey, ctrlKey, metaKey }) => onToggle(field, value, shiftKey || ctrlKey || metaKey)}
        >
          <i style={{ width: `${(100 * count) / most}%` }} aria-hidden />
          <span>{inWords(value)}</span> <span className="number">{formatCount(count)}</span>
        </button>
      ))}
      {shown.length === values.length && !isLong ? null : (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => setLong(!isLong)}
          aria-label={`${isLong ? 'fewer' : `${formatCount(values.length - shown.length)} more`} of ${title}`}
        >
          {isLong ? 'fewer' : `${formatCount(values.length - shown.length)} more`}
        </Button>
      )}
    </section>
  )
}
