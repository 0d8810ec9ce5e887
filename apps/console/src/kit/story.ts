import type { ReactNode } from 'react'

/** A component that pages share, in each of its states. */
export interface Story {
  /** Its file in `ui/`, without the extension. */
  readonly of: string
  /** The inputs that select each state, and the component in it. */
  readonly states: Readonly<Record<string, ReactNode>>
}
