import { TextInput } from '@mantine/core'

interface ReasonInputProps {
  readonly value: string
  /** Where the reason is shown later: "it is shown with the host". */
  readonly shown?: string
  readonly disabled?: boolean
  /** 1,000 by default. */
  readonly maxLength?: number
  /** Whether the input has the focus when the dialog opens; true by default. */
  readonly isFirst?: boolean
  onChange(value: string): void
}

/** The input for an operator's reason, which the audit keeps. */
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
