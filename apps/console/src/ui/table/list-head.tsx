import type { ReactNode } from 'react'
import './list-head.css'

interface ListHeadProps {
  /** The count of the rows and the actions. In a narrow window they are scrolled sideways. */
  readonly children: ReactNode
  /** The menu of the columns, at the right edge. */
  readonly chooser: ReactNode
}

/** The line above a list. It keeps its height, so that the list does not move when actions on selected rows are added. */
export function ListHead({ children, chooser }: ListHeadProps) {
  return (
    <div className="g-list-head">
      <div className="g-list-actions">{children}</div>
      {chooser}
    </div>
  )
}
