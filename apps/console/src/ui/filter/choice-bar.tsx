import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import type { Choice } from './use-choice.ts'

interface ChoiceBarProps {
  readonly choice: Pick<Choice<unknown>, 'items' | 'clear'>
  /** The count of rows that match the filter. */
  readonly found: number
  /** At most this many rows can be selected. */
  readonly most?: number
  onChooseAll(): void
  /** The actions on the selected rows. */
  readonly children?: ReactNode
}

/**
 * Shows the count of selected rows, a button that selects all matching rows, and the actions on the selection. Empty if no row is selected.
 */
export function ChoiceBar({ choice, found, most = Number.POSITIVE_INFINITY, onChooseAll, children }: ChoiceBarProps) {
  const count = choice.items.size
  if (count === 0) return null
  return (
    <>
      <Text size="sm" fw={600} role="status" data-chosen={count}>
        {formatCount(count)} chosen
      </Text>
      <Button size="compact-sm" variant="subtle" onClick={choice.clear}>
        None
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={onChooseAll}>
        {found > most ? `Choose the first ${formatCount(most)}` : `Choose all ${formatCount(found)}`} matching
      </Button>
      {children}
    </>
  )
}
