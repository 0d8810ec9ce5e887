import type { CSSProperties, ReactNode } from 'react'

interface ScrollBoxProps {
  /** What is in it, for screen readers. */
  readonly label: string
  readonly maxHeight?: string | undefined
  readonly children: ReactNode
}

/** What is wider or longer than the page scrolls in here, by keys too. */
export function ScrollBox({ label, maxHeight, children }: ScrollBoxProps) {
  const style: CSSProperties = { overflow: 'auto', maxHeight }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    <section aria-label={label} tabIndex={0} style={style}>
      {children}
    </section>
  )
}
