import { UnstyledButton } from '@mantine/core'
import type { ReactNode } from 'react'

interface CountProps {
  readonly label: string
  readonly title?: string | undefined
  readonly isOn: boolean
  readonly children: ReactNode
  onClick(): void
}

/** A count of hosts, as a button that lists these hosts below. */
export function Count({ label, title, isOn, children, onClick }: CountProps) {
  return (
    <UnstyledButton className="count" aria-label={label} aria-pressed={isOn} title={title} onClick={onClick}>
      {children}
    </UnstyledButton>
  )
}
