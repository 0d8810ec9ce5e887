import { Alert, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { request } from '../../lib/api.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useChange } from '../../lib/use-change.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SET_ALLOCATION } from './documents.ts'
import { labelOf } from './host-row.ts'
import type { HostDetail } from './host-usage.tsx'

type Answer = ResultOf<typeof SET_ALLOCATION>['hostSetAllocation']
type Impact = Extract<Answer, { readonly __typename: 'HostSetAllocationPayload' }>['impact']

export interface SetAllocationProps {
  readonly host: Pick<HostDetail, 'name' | 'node' | 'capacity'>
  onClose(): void
  onDone(): void
}

/** Sets how many times over a host gives a class away, and how much of it it keeps back: first what that changes, then the change. */
export function SetAllocation({ host, onClose, onDone }: SetAllocationProps) {
  const [resourceClass, setClass] = useState(host.capacity[0]?.resourceClass ?? 'VCPU')
  const usage = host.capacity.find((one) => one.resourceClass === resourceClass)
  const [ratio, setRatio] = useState('')
  const [reserved, setReserved] = useState('')
  const [reason, setReason] = useState('')
  const [preview, setPreview] = useState<Impact | undefined>()
  const { problem, isBusy, see, make, forget } = useChange()
  const change = (set: (value: string) => void) => (value: string) => {
    set(value)
    setPreview(undefined)
    forget()
  }
  const values = { ratio: readNumber(ratio), reserved: readNumber(reserved) }
  const isWrong = Number.isNaN(values.ratio) || Number.isNaN(values.reserved)
  const step = (dryRun: boolean) => () => setAllocationOf({ host, resourceClass, ...values, reason: reason.trim(), dryRun })
  return (
    <Dialog title={`Set the ratio or the reserve of ${labelOf({ host: host.name, node: host.node })}`} size="lg" onClose={onClose}>
      <Stack gap="sm">
        <Text size="sm">What is set here counts whatever the host reports. An empty field takes away what was set.</Text>
        <Select
          label="Resource class"
          data={host.capacity.map((one) => one.resourceClass)}
          value={resourceClass}
          allowDeselect={false}
          onChange={(value) => change(setClass)(value ?? resourceClass)}
        />
        <TextInput
          label="Ratio"
          description={`How many times over it is given away, 0.001 to 1000; now ${usage?.allocationRatio ?? 1}.`}
          value={ratio}
          onChange={({ currentTarget: { value } }) => change(setRatio)(value)}
          error={Number.isNaN(values.ratio) ? 'It must be a number.' : undefined}
        />
        <TextInput
          label="Reserved"
          description={`Kept back for the host itself, in whole units; now ${usage?.reserved ?? 0}.`}
          value={reserved}
          onChange={({ currentTarget: { value } }) => change(setReserved)(value)}
          error={Number.isNaN(values.reserved) ? 'It must be a number.' : undefined}
        />
        <TextInput
          label="Reason"
          description="For those who ask later; it is shown with the host."
          required
          value={reason}
          onChange={({ currentTarget: { value } }) => change(setReason)(value)}
        />
        {preview === undefined ? null : (
          <Alert color="yellow" role="status" title="Nothing is changed yet">
            {preview.warnings.length === 0 ? <Text size="sm">As much of every resource class stays free.</Text> : null}
            {preview.warnings.map((warning) => (
              <Text size="sm" key={warning}>
                {warning}
              </Text>
            ))}
          </Alert>
        )}
        {problem === undefined ? null : <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          {preview === undefined ? (
            <Button onClick={() => see(step(true), setPreview)} loading={isBusy} disabled={reason.trim() === '' || isWrong}>
              See what it changes
            </Button>
          ) : (
            <Button onClick={() => make(step(false), onDone)} loading={isBusy}>
              Set them
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Null of an empty field, not-a-number of what is none. */
const readNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text))

interface Step extends Pick<SetAllocationProps, 'host'> {
  readonly resourceClass: string
  readonly ratio: number | null
  readonly reserved: number | null
  readonly reason: string
  readonly dryRun: boolean
}

/** Throws what the service refuses. */
async function setAllocationOf({ host: { name, node }, ...step }: Step): Promise<Impact> {
  const { hostSetAllocation: answer } = await request(SET_ALLOCATION, { hosts: [{ host: name, node }], ...step })
  if (answer.__typename === 'HostSetAllocationPayload') return answer.impact
  const issues = answer.__typename === 'ValidationError' ? answer.issues.map(({ message }) => message) : []
  throw new Error([answer.message, ...issues].join(' '))
}
