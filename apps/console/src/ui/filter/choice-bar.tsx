import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../../lib/format.ts'
import type { Choice } from './use-choice.ts'

interface ChoiceBarProps {
  readonly choice: Pick<Choice<unknown>, 'items' | 'clear'>
  /** The number of rows that match the filter. */
  readonly found: number
  /** The maximum number of selected rows. */
  readonly most?: number
  onChooseAll(): void
  /** The actions on the selected rows. */
  readonly children?: ReactNode
}

/** The number of selected rows and the actions on them; empty without a selection. A separate button selects all matching rows. */
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
