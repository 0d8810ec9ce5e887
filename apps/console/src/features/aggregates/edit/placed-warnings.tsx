import { Alert, List, Text } from '@mantine/core'
import { useMemo } from 'react'
import { formatCount } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { useRun } from '../../../lib/service/use-run.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import { Cancelled, Running } from '../../../ui/dialog/running.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { WARNINGS } from '../documents.ts'
import { Refusal } from '../impact.tsx'
import { leftOutText } from '../replay/replay-text.ts'
import type { UpdateInput } from './draft.ts'

type Payload = Extract<ResultOf<typeof WARNINGS>['aggregateUpdate'], { readonly __typename: 'AggregatePayload' }>
type Warnings = NonNullable<Payload['warnings']>

interface PlacedWarningsProps {
  readonly uuid: string
  readonly ifVersion: number
  readonly input: UpdateInput
}

/** Placed instances whose hosts would refuse their requests because of the edit. */
export function PlacedWarnings({ uuid, ifVersion, input }: PlacedWarningsProps) {
  const text = JSON.stringify(input)
  const variables = useMemo(() => ({ uuid, ifVersion, input: JSON.parse(text) as UpdateInput }), [uuid, ifVersion, text])
  const { data, error, isRunning, isCancelled, cancel, run } = useRun(WARNINGS, variables)
  const end = data?.aggregateUpdate
  return (
    <section aria-label="Effect on placed instances">
      <Text component="h3" fw={600} size="sm">
        Effect on placed instances
      </Text>
      {error ? <Problem error={error} onRetry={run} /> : null}
      {isRunning ? <Running label="The requests of placed instances are being checked on their hosts." onCancel={cancel} /> : null}
      {isCancelled ? <Cancelled label="The check was cancelled" onRun={run} /> : null}
      {end === undefined || isRunning ? null : end.__typename !== 'AggregatePayload' ? (
        <Refusal message={end.message} />
      ) : end.warnings === null ? null : (
        <Outcome warnings={end.warnings} />
      )}
    </section>
  )
}

function Outcome({ warnings }: { readonly warnings: Warnings }) {
  const { asked, refused, hosts, told: reported } = warnings
  const rest = leftOutText({ ...warnings, unreadable: 0, notReplayable: warnings.notAskable })
  const shown = reported.reduce((sum, one) => sum + one.claims, 0)
  return (
    <div data-warned={refused}>
      {refused === 0 ? (
        <Text size="sm" role="status">
          None of the {formatCount(asked)} checked claims would be refused on its host.
        </Text>
      ) : (
        <Alert
          color="yellow"
          p="xs"
          role="status"
          title={`${formatCount(refused)} of ${formatCount(asked)} claims would be refused on their present hosts (${formatCount(hosts)} ${hosts === 1 ? 'host' : 'hosts'})`}
        >
          <ScrollBox label="Claims that would be refused" maxHeight="200px">
            <List size="sm">
              {reported.map(({ host, node, filter, code, text }) => (
                <List.Item key={`${host}/${node} ${filter} ${code}`} data-warning={code}>
                  {text}{' '}
                  <AnchorLink size="sm" underline="always" to="/hosts/$host" params={{ host }} search={host === node ? {} : { node }}>
                    Open {host}
                  </AnchorLink>
                </List.Item>
              ))}
            </List>
          </ScrollBox>
          {shown < refused ? (
            <Text size="xs">and {formatCount(refused - shown)} more claims, on other hosts or for other reasons.</Text>
          ) : null}
          <Text size="xs">The instances stay where they are, but their hosts no longer meet their requests.</Text>
        </Alert>
      )}
      {rest === '' ? null : (
        <Text size="xs" c="dimmed">
          {rest}
        </Text>
      )}
    </div>
  )
}
