import { TextInput } from '@mantine/core'

interface ReasonInputProps {
  readonly value: string
  /** Where the reason will be shown, as the end of a sentence: "shown with the host". */
  readonly shown?: string
  readonly disabled?: boolean
  /** The maximum length in characters. The default is 1,000. */
  readonly maxLength?: number
  /** True if the input gets the focus when the dialog opens. The default is true. */
  readonly isFirst?: boolean
  onChange(value: string): void
}

/** The input for the reason of a change. The audit stores the reason. */
export function ReasonInput({ value, shown, disabled = false, maxLength = 1_000, isFirst = true, onChange }: ReasonInputProps) {
  return (
    <TextInput
      label="Reason"
      description={`Recorded in the audit${shown === undefined ? '' : `; ${shown}`}.`}
      required
      maxLength={maxLength}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      {...(isFirst ? { 'data-autofocus': true } : {})}
    />
  )
}
