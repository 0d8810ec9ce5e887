import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useDeferredValue, useState } from 'react'
import { formatCount } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { ScrollBox } from '../../../ui/table/scroll-box.tsx'
import { AGGREGATES_NAMED } from '../documents.ts'

export interface AddToAggregateProps {
  readonly hosts: readonly string[]
  onChoose(uuid: string): void
  onClose(): void
}

/**
 * A dialog to select an aggregate for hosts. It opens the aggregate's draft with the names of the hosts. The aggregate itself is not
 * changed.
 */
export function AddToAggregate({ hosts, onChoose, onClose }: AddToAggregateProps) {
  const [part, setPart] = useState('')
  const wanted = useDeferredValue(part.trim())
  // in quotes, the text is never parsed as a term of the filter grammar
  const q = wanted === '' ? '' : `"${wanted.replace(/["\\]/g, '\\$&')}"`
  const { data, error, refetch } = useOperation(AGGREGATES_NAMED, { q })
  const found = data?.aggregates
  return (
    <Dialog title={`Add ${hosts.length === 1 ? hosts[0] : `${formatCount(hosts.length)} hosts`} to an aggregate`} onClose={onClose}>
      <Stack gap="sm">
        <TextInput
          label="Aggregate"
          description="Search by part of the name. Selecting one opens its draft; nothing is changed until the draft is applied."
          value={part}
          onChange={({ currentTarget: { value } }) => setPart(value)}
          data-autofocus
        />
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {found === undefined ? null : (
          <ScrollBox label="Aggregates" maxHeight="280px">
            <Stack gap={4}>
              {found.nodes.map(({ uuid, name, availabilityZone, hostCount }) => (
                <Button key={uuid} variant="default" size="compact-md" justify="space-between" onClick={() => onChoose(uuid)}>
                  {name}
                  {availabilityZone === null ? '' : `, zone ${availabilityZone}`}, {formatCount(hostCount)}{' '}
                  {hostCount === 1 ? 'host' : 'hosts'}
                </Button>
              ))}
            </Stack>
          </ScrollBox>
        )}
        {found === undefined ? null : (
          <Text size="xs" c="dimmed" role="status">
            {found.totalCount === 0
              ? 'No matching aggregates.'
              : found.nodes.length < found.totalCount
                ? `The first ${formatCount(found.nodes.length)} of ${formatCount(found.totalCount)}.`
                : ''}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
