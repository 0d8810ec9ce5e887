import { Button, Code, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Empty } from './empty.tsx'

interface NoMatchProps {
  /** What was looked for, as one: "claim". */
  readonly one: string
  readonly filter: string
  onClear(): void
  /** What else one should know of it. */
  readonly children?: ReactNode
}

/** A filter that finds nothing: which, and the way back. */
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
