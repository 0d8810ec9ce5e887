import type { ReactNode } from 'react'
import './figures.css'

export interface Figure {
  readonly label: string
  /** A text, or a link to the counted rows. */
  readonly value: ReactNode
  /** True if the value is shown as a problem: in the colour of refusals, and with a sign. */
  readonly isBad?: boolean
  readonly title?: string
}

/** A row of figures with their names. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <dl className="g-figures">
      {figures.map(({ label, value, isBad, title }) => (
        <div key={label} data-bad={isBad || undefined} data-figure={label} title={title}>
          <dt>{label}</dt>
          <dd>
            {isBad ? <span aria-hidden>! </span> : null}
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
