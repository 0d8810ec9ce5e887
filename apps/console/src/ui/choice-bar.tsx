import { Button, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatCount } from '../lib/format.ts'
import type { Choice } from './use-choice.ts'

interface ChoiceBarProps {
  readonly choice: Pick<Choice<unknown>, 'items' | 'clear'>
  /** How many rows the filter finds. */
  readonly found: number
  /** So many can be chosen. */
  readonly most?: number
  onChooseAll(): void
  /** What can be done with them. */
  readonly children?: ReactNode
}

/** How many were chosen, and what can be done with them; nothing where none is. To choose all that match is a step of its own. */
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
