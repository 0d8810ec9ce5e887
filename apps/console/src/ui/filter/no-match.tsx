import { Button, Code, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Empty } from '../empty.tsx'

interface NoMatchProps {
  /** The singular noun for the items, such as "claim". */
  readonly one: string
  readonly filter: string
  onClear(): void
  /** Additional information. */
  readonly children?: ReactNode
}

/** The message that no item matches the filter. It shows the filter, and a button that clears the filter. */
export function NoMatch({ one, filter, onClear, children }: NoMatchProps) {
  return (
    <Empty title={`No ${one} matches`}>
      Nothing matches <Code className="running-text">{filter}</Code>. {children}
      <Group justify="center" mt="sm">
        <Button size="compact-sm" variant="outline" onClick={onClear}>
          Clear the filter
        </Button>
      </Group>
    </Empty>
  )
}
