import type { CSSProperties, ReactNode } from 'react'

interface ScrollBoxProps {
  /** The name of the content, for screen readers. */
  readonly label: string
  readonly maxHeight?: string | undefined
  readonly children: ReactNode
}

/** A box in which wide or long content can be scrolled, with the pointer or the keyboard. */
export function ScrollBox({ label, maxHeight, children }: ScrollBoxProps) {
  const style: CSSProperties = { overflow: 'auto', maxHeight }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable with the keyboard
    <section aria-label={label} tabIndex={0} style={style}>
      {children}
    </section>
  )
}
