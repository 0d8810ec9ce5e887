import { TextInput } from '@mantine/core'

interface ReasonInputProps {
  readonly value: string
  /** Where the reason is found afterwards: "it is shown with the host". */
  readonly shown?: string
  readonly disabled?: boolean
  /** Whether the keyboard is here when the dialog opens; true by default. */
  readonly isFirst?: boolean
  onChange(value: string): void
}

/** The service takes no longer ones. */
const MOST_CHARACTERS = 1_000

/** Why an operator does this: the audit keeps it. */
export function ReasonInput({ value, shown, disabled = false, isFirst = true, onChange }: ReasonInputProps) {
  return (
    <TextInput
      label="Reason"
      description={`For those who ask later${shown === undefined ? '' : `; ${shown}`}.`}
      required
      maxLength={MOST_CHARACTERS}
      value={value}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      {...(isFirst ? { 'data-autofocus': true } : {})}
    />
  )
}
