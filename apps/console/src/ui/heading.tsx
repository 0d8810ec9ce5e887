import { Text } from '@mantine/core'
import { useRef } from 'react'
import { useShortcuts } from '../lib/browser/keys.ts'
import type { Call } from '../lib/service/wire.ts'
import { PanelCall } from './dialog/panel-call.tsx'
import './heading.css'

interface HeadingProps {
  /** The key that moves to this section from anywhere on the page. */
  readonly keys?: string
  /**
   * The call that reads the data of the section, if the section has its own call. The heading then has a link to GraphiQL with this call.
   */
  readonly call?: Call | undefined
  readonly children: string
}

/** The heading of a section. Its key scrolls it into view and focuses it, so that Tab continues within the section. */
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

/** Scrolls an element below the header of the page, and focuses it. */
export function goTo(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' })
  element?.focus({ preventScroll: true })
}
