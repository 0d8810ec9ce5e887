import { Select, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { labelOfHost } from '../../../lib/host-label.ts'
import { request } from '../../../lib/service/api.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { refusalText } from '../../../lib/service/refusal.ts'
import { usePreview } from '../../../lib/service/use-preview.ts'
import { Effects, PreviewDialog } from '../../../ui/dialog/preview-dialog.tsx'
import { ReasonInput } from '../../../ui/dialog/reason-input.tsx'
import { SET_ALLOCATION } from '../documents.ts'
import type { HostDetail } from '../host-usage.tsx'
import { capacityEffects } from './capacity-effects.ts'

type Answer = ResultOf<typeof SET_ALLOCATION>['hostSetAllocation']
type Impact = Extract<Answer, { readonly __typename: 'HostSetAllocationPayload' }>['impact']

export interface SetAllocationProps {
  readonly host: Pick<HostDetail, 'name' | 'node' | 'capacity'>
  onClose(): void
  onDone(): void
}

/** The dialog to set the allocation ratio and the reserved amount of a resource class on a host. */
export function SetAllocation({ host, onClose, onDone }: SetAllocationProps) {
  const [resourceClass, setClass] = useState(host.capacity[0]?.resourceClass ?? 'VCPU')
  const usage = host.capacity.find((one) => one.resourceClass === resourceClass)
  const before = overridesIn(usage)
  const [ratio, setRatio] = useState(before.ratio)
  const [reserved, setReserved] = useState(before.reserved)
  const [reason, setReason] = useState('')
  const change = usePreview<Impact>()
  const choose = (name: string) => {
    const set = overridesIn(host.capacity.find((one) => one.resourceClass === name))
    change.edit(setClass)(name)
    setRatio(set.ratio)
    setReserved(set.reserved)
  }
  const wrong = { ratio: wrongRatio(ratio), reserved: wrongReserved(reserved) }
  const values = { ...edited('ratio', before.ratio, ratio), ...edited('reserved', before.reserved, reserved) }
  const isReady = reason.trim() !== '' && wrong.ratio === undefined && wrong.reserved === undefined && Object.keys(values).length > 0
  return (
    <PreviewDialog
      title={`Set the ratio or the reserve of ${labelOfHost(host)}`}
      change={change}
      isReady={isReady}
      previewLabel="Preview the changes"
      makeLabel="Set ratio and reserve"
      step={(dryRun) => setAllocationOf({ host, resourceClass, ...values, reason: reason.trim(), dryRun })}
      onClose={onClose}
      onDone={onDone}
    >
      <Text size="sm">
        These values override the report of the host. An empty field removes its override: the aggregates and the report of the host apply
        again.
      </Text>
      <Select
        label="Resource class"
        data={host.capacity.map((one) => one.resourceClass)}
        value={resourceClass}
        allowDeselect={false}
        onChange={(value) => choose(value ?? resourceClass)}
      />
      <TextInput
        label="Ratio"
        description={`How many times the host's total of the class may be allocated, 0.001 to 1000; now ${usage?.allocationRatio ?? 1}.`}
        value={ratio}
        onChange={({ currentTarget: { value } }) => change.edit(setRatio)(value)}
        error={wrong.ratio}
      />
      <TextInput
        label="Reserved"
        description={`Reserved for the host itself, in whole units; now ${usage?.reserved ?? 0}.`}
        value={reserved}
        onChange={({ currentTarget: { value } }) => change.edit(setReserved)(value)}
        error={wrong.reserved}
      />
      <ReasonInput value={reason} shown="shown with the host" isFirst={false} onChange={change.edit(setReason)} />
      {change.effect === undefined ? null : <Effects sentences={capacityEffects(change.effect.warnings)} />}
    </PreviewDialog>
  )
}

/** The values that an operator has set for a class on this host, as texts for the input fields. A text is empty if its value is not set. */
const overridesIn = (usage: HostDetail['capacity'][number] | undefined) => ({
  ratio: usage?.ratioFrom.source === 'HOST' ? String(usage.allocationRatio) : '',
  reserved: usage?.reservedFrom.source === 'HOST' ? String(usage.reserved) : '',
})

/** The input of the mutation for one field. Null removes the value. A field that was not changed is omitted. */
function edited(name: 'ratio' | 'reserved', before: string, now: string): Pick<Step, 'ratio' | 'reserved'> {
  const text = now.trim()
  if (text === before) return {}
  return { [name]: text === '' ? null : Number(text) }
}

const wrongRatio = (text: string): string | undefined =>
  text.trim() === '' || (Number(text) >= 0.001 && Number(text) <= 1_000) ? undefined : 'It must be a number of 0.001 to 1000.'

const wrongReserved = (text: string): string | undefined =>
  text.trim() === '' || (Number.isSafeInteger(Number(text)) && Number(text) >= 0) ? undefined : 'It must be a whole number, 0 or more.'

interface Step extends Pick<SetAllocationProps, 'host'> {
  readonly resourceClass: string
  readonly ratio?: number | null
  readonly reserved?: number | null
  readonly reason: string
  readonly dryRun: boolean
}

async function setAllocationOf({ host: { name, node }, ...step }: Step): Promise<Impact> {
  const { hostSetAllocation: answer } = await request(SET_ALLOCATION, { hosts: [{ host: name, node }], ...step })
  if (answer.__typename === 'HostSetAllocationPayload') return answer.impact
  throw new Error(refusalText(answer))
}
