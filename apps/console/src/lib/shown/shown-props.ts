import { showUnseen } from '@gantt/scheduler-core/query'

/**
 * The properties of elements whose texts are shown. The values of input fields are not included, because input must stay as it was typed.
 */
const TEXTS = ['children', 'title', 'label', 'description', 'aria-label'] as const

/** Line breaks and tabs, which are not escaped. */
const KEPT = '\n\t\r'

type Props = Readonly<Record<string, unknown>>

/** Escapes characters in the properties of an element that are invisible or that change the direction of the surrounding text. */
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
