import { Text } from '@mantine/core'
import { useRef } from 'react'
import { useShortcuts } from '../lib/keys.ts'
import type { Call } from '../lib/wire.ts'
import { PanelCall } from './panel-call.tsx'
import './heading.css'

interface HeadingProps {
  /** The key that leads here from anywhere on the page. */
  readonly keys?: string
  /** What the section asks, where that is not the call of the page: it opens in GraphiQL. */
  readonly call?: Call | undefined
  readonly children: string
}

/** The heading of a section. Its key brings it into sight and the keyboard to it, so that Tab goes on within the section. */
export function Heading({ keys, call, children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useShortcuts(keys === undefined ? [] : [{ keys, label: `Go to: ${children}`, run: () => goTo(heading.current) }])
  return (
    <div className="g-heading-line">
      <Text component="h2" fw={600} size="md" ref={heading} tabIndex={-1} className="g-heading">
        {children}
      </Text>
      {call === undefined ? null : <PanelCall of={children} {...call} />}
    </div>
  )
}

/** Brings something below the header of the page, and the keyboard to it. */
export function goTo(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' })
  element?.focus({ preventScroll: true })
}
