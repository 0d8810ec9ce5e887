import { Badge, Text } from '@mantine/core'
import type { EXPLANATION } from '../../../lib/explanation.ts'
import { formatCount } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { countHosts } from '../facts.ts'

interface ShadowFiltersProps {
  readonly steps: ResultOf<typeof EXPLANATION>['explainPlacement']['shadowSteps']
}

/** The verdicts of filters in shadow mode. Such a filter is evaluated like any other, but refuses no host. */
export function ShadowFilters({ steps }: ShadowFiltersProps) {
  if (steps.length === 0) return null
  return (
    <section aria-label="Filters in shadow mode">
      <Text component="h3" fw={600} size="sm">
        Filters in shadow mode: they refuse no host
      </Text>
      <ul className="plain shadows">
        {steps.map(({ name, isAsked, wouldReject, ofThosePassing, reasons }) => (
          <li key={name} data-shadow-filter={name} data-would-reject={wouldReject}>
            <Badge variant="light" color="grape" tt="none">
              shadow
            </Badge>{' '}
            <b>{name}</b>{' '}
            {!isAsked
              ? 'had nothing to check.'
              : wouldReject === 0
                ? 'would refuse no host.'
                : `would refuse ${countHosts(wouldReject)}, ${ofThosePassing === 0 ? 'none' : formatCount(ofThosePassing)} of them among those that passed.`}
            {reasons.map(({ code, hosts, text }) => (
              <Text size="xs" c="dimmed" key={code}>
                <span className="mono">{code}</span> {formatCount(hosts)}: {text}
              </Text>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}
