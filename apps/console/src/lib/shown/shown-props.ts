import { showUnseen } from '@gantt/scheduler-core/query'

/** What an element shows, as far as it is text. Values of fields are none: what is edited stays as it is. */
const TEXTS = ['children', 'title', 'label', 'description', 'aria-label'] as const

/** Breaks and tabs are seen for what they are. */
const KEPT = '\n\t\r'

type Props = Readonly<Record<string, unknown>>

/** The properties of an element with everything escaped that would not be seen, or would turn the text around it; else the same. */
export function shownProps<Given>(given: Given): Given {
  let props = given as unknown as Props
  for (const name of TEXTS) {
    const value = props[name]
    const shown = shownIn(value)
    if (shown !== value) props = { ...props, [name]: shown }
  }
  return props as Given
}

function shownIn(value: unknown): unknown {
  if (typeof value === 'string') return showUnseen(value, KEPT)
  return Array.isArray(value) && value.some((item) => shownIn(item) !== item) ? value.map(shownIn) : value
}
