import { Alert, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { queryClient, request } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useChange } from '../../lib/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Standing } from './compare.ts'
import { REPAIR } from './documents.ts'

export type Finding = Standing['auditor']['findings'][number]

type Answer = ResultOf<typeof REPAIR>['findingRepair']
type Repaired = Extract<Answer, { readonly __typename: 'FindingRepairPayload' }>

interface RepairFindingProps {
  readonly finding: Finding
  onClose(): void
}

/** Mends what the auditor found: what would differ is shown first, then it is done, with a reason for whoever asks later. */
export function RepairFinding({ finding: { id, code, name, repair }, onClose }: RepairFindingProps) {
  const [reason, setReason] = useState('')
  const [seen, setSeen] = useState<Repaired | undefined>()
  const [refusal, setRefusal] = useState<string | undefined>()
  const { problem, isBusy, isMaking, see, make, forget } = useChange()
  const take = (answer: Answer, onDone: (done: Repaired) => void): void => {
    setRefusal(answer.__typename === 'FindingRepairPayload' ? undefined : answer.message)
    if (answer.__typename === 'FindingRepairPayload') onDone(answer)
  }
  const call = (dryRun: boolean) => request(REPAIR, { id, reason: reason.trim(), dryRun })
  const look = (): void =>
    see(
      () => call(true),
      ({ findingRepair }) => take(findingRepair, setSeen),
    )
  const mend = (): void =>
    make(
      () => call(false),
      ({ findingRepair }) =>
        take(findingRepair, () => {
          void queryClient.invalidateQueries()
          onClose()
        }),
    )
  return (
    <Dialog onClose={onClose} title={`Repair ${code} of ${name}`} size="lg">
      <Stack gap="sm">
        <Text size="sm">{repair.text}</Text>
        <TextInput
          label="Reason"
          description="For those who ask later; it stands in the audit."
          required
          maxLength={1_000}
          value={reason}
          disabled={isMaking}
          onChange={({ currentTarget }) => {
            setReason(currentTarget.value)
            setSeen(undefined)
            forget()
          }}
          data-autofocus
        />
        {problem === undefined ? null : <Problem error={problem} />}
        {refusal === undefined ? null : (
          <Alert color="yellow" role="alert" title="It was not repaired">
            {refusal}
          </Alert>
        )}
        {seen === undefined ? null : <Differences seen={seen} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {seen === undefined ? (
            <Button loading={isBusy} disabled={reason.trim() === ''} onClick={look}>
              See what would change
            </Button>
          ) : (
            <Button color="red" loading={isBusy} onClick={mend}>
              Repair it
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

function Differences({ seen: { differences, differenceCount, fleetRevision } }: { readonly seen: Repaired }) {
  return (
    <section aria-label="What would change" data-differences={differenceCount}>
      <Text size="sm" role="status">
        {formatCount(differenceCount)} {differenceCount === 1 ? 'difference' : 'differences'}, tried on revision {fleetRevision}. Nothing
        has been changed yet.
      </Text>
      <ScrollBox label="The differences" maxHeight="240px">
        <Table verticalSpacing={2}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Of</Table.Th>
              <Table.Th>Member</Table.Th>
              <Table.Th>Now</Table.Th>
              <Table.Th>Then</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ subject, name, field, before, after }) => (
              <Table.Tr key={`${subject} ${name} ${field}`}>
                <Table.Td className="running-text">
                  {subject} {name}
                </Table.Td>
                <Table.Td>{field}</Table.Td>
                <Table.Td>{before ?? 'nothing'}</Table.Td>
                <Table.Td>{after ?? 'nothing'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}
