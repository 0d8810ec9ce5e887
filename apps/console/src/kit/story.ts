import type { ReactNode } from 'react'

/** A component that pages share, with all its states. */
export interface Story {
  /** Its file in `ui/`, without the extension. */
  readonly of: string
  /** The states by name, and the component in each state. */
  readonly states: Readonly<Record<string, ReactNode>>
}
