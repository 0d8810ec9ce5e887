import { Alert, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '../../lib/format.ts'
import { queryClient, request } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { useChange } from '../../lib/service/use-change.ts'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { ReasonInput } from '../../ui/dialog/reason-input.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import type { ReplicaStates } from './compare.ts'
import { REPAIR } from './documents.ts'

export type Finding = ReplicaStates['auditor']['findings'][number]

type Answer = ResultOf<typeof REPAIR>['findingRepair']
type Repaired = Extract<Answer, { readonly __typename: 'FindingRepairPayload' }>

interface RepairFindingProps {
  readonly finding: Finding
  onClose(): void
}

/** The initial texts of the fields. */
const NO_SIZE = { vcpus: '', memoryMib: '', diskGib: '0' }
type Size = Readonly<typeof NO_SIZE>
const NO_OWNER = { project: '', account: '' }
type Owner = Readonly<typeof NO_OWNER>

/**
 * The dialog to repair a finding. It first shows what the repair would change, and then makes the repair. The reason is stored for later
 * readers.
 */
export function RepairFinding({ finding: { id, code, name, repair }, onClose }: RepairFindingProps) {
  const { text, options } = repair
  const [reason, setReason] = useState('')
  const [choice, setChoice] = useState(options.length === 1 ? options[0]?.name : undefined)
  const [size, setSize] = useState<Size>(NO_SIZE)
  const [owner, setOwner] = useState<Owner>(NO_OWNER)
  const [seen, setSeen] = useState<Repaired | undefined>()
  const [refusal, setRefusal] = useState<string | undefined>()
  const { problem, isBusy, isMaking, see, make, forget } = useChange()
  const { asksSize = false, asksOwner = false } = options.find((option) => option.name === choice) ?? {}
  const isStated = Object.values(size).every((value) => /^\d{1,9}$/.test(value))
  const isReady = reason.trim() !== '' && choice !== undefined && (!asksSize || isStated)
  const anew = (): void => {
    setSeen(undefined)
    setRefusal(undefined)
    forget()
  }
  const take = (answer: Answer, onDone: (done: Repaired) => void): void => {
    setRefusal(answer.__typename === 'FindingRepairPayload' ? undefined : answer.message)
    if (answer.__typename === 'FindingRepairPayload') onDone(answer)
  }
  const call = (dryRun: boolean) =>
    request(REPAIR, {
      ...{ id, reason: reason.trim(), choose: choice ?? null, dryRun },
      size: asksSize ? { vcpus: Number(size.vcpus), memoryMib: Number(size.memoryMib), diskGib: Number(size.diskGib) } : null,
      project: (asksOwner && owner.project.trim()) || null,
      account: (asksOwner && owner.account.trim()) || null,
    })
  const look = (): void =>
    see(
      () => call(true),
      ({ findingRepair }) => take(findingRepair, setSeen),
    )
  const runRepair = (): void =>
    make(
      () => call(false),
      ({ findingRepair }) =>
        take(findingRepair, () => {
          void queryClient.invalidateQueries()
          onClose()
        }),
    )
  return (
    <Dialog onClose={onClose} title={`Repair ${code} of ${name}`} size="xl">
      <Stack gap="sm">
        <Text size="sm">{text}</Text>
        {options.length < 2 ? null : (
          <Fieldset legend="Repair method" disabled={isMaking}>
            {options.map((option) => (
              <Text key={option.name} component="label" size="sm" display="block" className="running-text">
                <input
                  type="radio"
                  name="way"
                  checked={choice === option.name}
                  onChange={() => {
                    setChoice(option.name)
                    anew()
                  }}
                />{' '}
                {option.text}
              </Text>
            ))}
          </Fieldset>
        )}
        {asksSize ? (
          <SizeInputs
            size={size}
            isDisabled={isMaking}
            onChange={(next) => {
              setSize(next)
              anew()
            }}
          />
        ) : null}
        {asksOwner ? (
          <OwnerInputs
            owner={owner}
            isDisabled={isMaking}
            onChange={(next) => {
              setOwner(next)
              anew()
            }}
          />
        ) : null}
        <ReasonInput
          value={reason}
          disabled={isMaking}
          onChange={(value) => {
            setReason(value)
            anew()
          }}
        />
        {problem === undefined ? null : <Problem error={problem} />}
        {refusal === undefined ? null : (
          <Alert color="yellow" role="alert" title="The repair failed">
            {refusal}
          </Alert>
        )}
        {seen === undefined ? null : <Differences seen={seen} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {seen === undefined ? (
            <Button loading={isBusy} disabled={!isReady} onClick={look}>
              Preview the changes
            </Button>
          ) : (
            <Button color="red" loading={isBusy} onClick={runRepair}>
              Repair the finding
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

interface SizeInputsProps {
  readonly size: Size
  readonly isDisabled: boolean
  onChange(size: Size): void
}

/** Inputs for the instance's resources, which the report of its host does not contain. */
function SizeInputs({ size, isDisabled, onChange }: SizeInputsProps) {
  return (
    <Group grow gap="xs">
      {(
        [
          ['vcpus', 'vCPU'],
          ['memoryMib', 'Memory, MiB'],
          ['diskGib', 'Disk, GiB'],
        ] as const
      ).map(([key, label]) => (
        <TextInput
          key={key}
          label={label}
          inputMode="numeric"
          required
          disabled={isDisabled}
          value={size[key]}
          onChange={({ currentTarget: { value } }) => onChange({ ...size, [key]: value })}
        />
      ))}
    </Group>
  )
}

interface OwnerInputsProps {
  readonly owner: Owner
  readonly isDisabled: boolean
  onChange(owner: Owner): void
}

/** Inputs for the project and the account of the instance. By this account, later calls of the owner find the claim. */
function OwnerInputs({ owner, isDisabled, onChange }: OwnerInputsProps) {
  return (
    <Group grow gap="xs" align="start">
      {(
        [
          ['project', 'Project', 'The project of the instance. Empty: no project.'],
          ['account', 'Account', 'The account that placed the instance. Empty: your own account.'],
        ] as const
      ).map(([key, label, description]) => (
        <TextInput
          key={key}
          label={label}
          description={description}
          maxLength={200}
          disabled={isDisabled}
          value={owner[key]}
          onChange={({ currentTarget: { value } }) => onChange({ ...owner, [key]: value })}
        />
      ))}
    </Group>
  )
}

function Differences({ seen: { differences, differenceCount, fleetRevision } }: { readonly seen: Repaired }) {
  return (
    <section aria-label="What would change" data-differences={differenceCount}>
      <Text size="sm" role="status">
        {formatCount(differenceCount)} {differenceCount === 1 ? 'difference' : 'differences'}, tried on revision {fleetRevision}. Nothing
        has been changed yet.
      </Text>
      <SmallTable
        label="The differences"
        maxHeight="240px"
        rows={differences}
        rowKey={({ subject, name, field }) => `${subject} ${name} ${field}`}
        columns={[
          { head: 'Object', className: 'breaks', cell: ({ subject, name }) => `${subject} ${name}` },
          { head: 'Field', className: 'breaks', cell: ({ field }) => field },
          { head: 'Now', className: 'breaks', cell: ({ before }) => before ?? 'nothing' },
          { head: 'After', className: 'breaks', cell: ({ after }) => after ?? 'nothing' },
        ]}
      />
    </section>
  )
}
