import { Alert, Button, Group, Skeleton, Text, useComputedColorScheme } from '@mantine/core'
import { formatCount } from '../../../lib/format.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Problem } from '../../../ui/problem.tsx'
import type { VerdictsFeed } from './use-verdicts.ts'
import { verdictColours } from './verdict-colours.ts'

export interface VerdictLegendProps {
  readonly feed: VerdictsFeed
  readonly decision: string
  readonly instance: string | undefined
  /** The verdict to which the list is restricted. */
  readonly chosen: string | undefined
  onChoose(verdict: string | undefined): void
  onClose(): void
}

/**
 * The verdicts of a decision with the counts of its funnel. A click on a verdict lists exactly its hosts, and a second click removes this
 * restriction.
 */
export function VerdictLegend({ feed, decision, instance, chosen, onChoose, onClose }: VerdictLegendProps) {
  const { verdicts, headline, isApproximate, error, retry } = feed
  const scheme = useComputedColorScheme('light')
  const colours = verdicts === undefined ? [] : verdictColours(verdicts.groups, scheme)
  return (
    <section aria-label="Verdicts of a decision">
      <Group gap="xs">
        <Text size="sm" lineClamp={2}>
          Verdicts of{' '}
          <AnchorLink
            inherit
            underline="always"
            to="/decisions/$id"
            params={{ id: decision }}
            search={instance === undefined ? {} : { instance }}
            title={decision}
          >
            a decision
          </AnchorLink>
          {headline === undefined ? null : `: ${headline}`}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={onClose}>
          Without verdicts
        </Button>
      </Group>
      {error ? <Problem error={error} onRetry={retry} /> : null}
      {isApproximate ? (
        <Alert color="yellow" title="Approximate" mb={4}>
          The decision could not be replayed exactly: its state or its release is no longer available. An approximation is shown.
        </Alert>
      ) : null}
      {verdicts === undefined ? (
        error ? null : (
          <Skeleton height={24} role="status" aria-label="The decision is being replayed" />
        )
      ) : (
        <div className="verdicts">
          {verdicts.groups.map(({ key, label, count, here }, i) => (
            <button
              key={key}
              type="button"
              className="verdict-key"
              data-verdict={key}
              aria-pressed={chosen === key}
              onClick={() => onChoose(chosen === key ? undefined : key)}
            >
              <i style={{ background: `rgb(${colours[i]?.join(' ')})` }} aria-hidden /> {label}{' '}
              <span className="number">{formatCount(count)}</span>
              {here === count ? null : ` (${formatCount(here)} in this list)`}
            </button>
          ))}
        </div>
      )}
    </section>
  )
}
