import { Alert, List, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'

export interface ImpactCounts {
  readonly hostsAffected: number
  readonly azChanges: number
  readonly claimsOnAffectedHosts: number
  readonly warnings: readonly string[]
}

/** Shows how many hosts and claims an edit affects, before it is applied. */
export function Impact({ impact }: { readonly impact: ImpactCounts }) {
  const { hostsAffected, azChanges, claimsOnAffectedHosts, warnings } = impact
  return (
    <Alert color="blue" title="Impact" role="status" data-impact>
      <Text size="sm">
        {formatCount(hostsAffected)} hosts, {formatCount(azChanges)} of them would change their availability zone; they hold{' '}
        {formatCount(claimsOnAffectedHosts)} live claims. Nothing is changed yet.
      </Text>
      {warnings.length === 0 ? null : (
        <List size="sm" mt={4}>
          {warnings.map((warning) => (
            <List.Item key={warning}>{warning}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  )
}

export interface RefusalProps {
  readonly message: string
  /** The count of all problems. The default is the count of the listed problems. */
  readonly issueCount?: number | undefined
  readonly issues?: readonly { readonly path: readonly string[]; readonly message: string }[] | undefined
}

const SHOWN = 50

/** Shows why an edit was refused: the first SHOWN problems, and the count of all further problems. */
export function Refusal({ message, issues = [], issueCount = issues.length }: RefusalProps) {
  return (
    <Alert color="red" title="Refused" role="alert">
      {issues.length === 0 ? <Text size="sm">{message}</Text> : null}
      <List size="sm">
        {issues.slice(0, SHOWN).map(({ path, message: text }) => (
          <List.Item key={path.join('.')}>{text}</List.Item>
        ))}
      </List>
      {issueCount > SHOWN ? <Text size="sm">and {formatCount(issueCount - SHOWN)} more.</Text> : null}
    </Alert>
  )
}
