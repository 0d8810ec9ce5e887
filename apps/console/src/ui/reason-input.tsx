import { TextInput } from '@mantine/core'

interface ReasonInputProps {
  readonly value: string
  /** Where the reason is found afterwards: "it is shown with the host". */
  readonly shown?: string
  readonly disabled?: boolean
  /** 1,000 by default. */
  readonly maxLength?: number
  /** Whether the keyboard is here when the dialog opens; true by default. */
  readonly isFirst?: boolean
  onChange(value: string): void
}

/** Why an operator does this: the audit keeps it. */
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
