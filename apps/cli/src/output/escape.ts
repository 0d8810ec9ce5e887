import { replaceUnseen, showUnseen } from '@gantt/scheduler-core/query'

const ESCAPE = '\u001b'

/** Control sequences that the command line itself prints: line breaks, bold on and off, and overwriting a line. */
const OWN = new RegExp(`(\n|${ESCAPE}\\[(?:1|22)m|^\r${ESCAPE}\\[K)`)

/** A line that is safe for a terminal. Invisible characters, which older names may contain, are escaped. */
export const shownLine = (line: string): string =>
  line
    .split(OWN)
    .map((part, at) => (at % 2 === 1 ? part : showUnseen(part)))
    .join('')

/** A value as one line of JSON, with invisible characters escaped. */
export const shownJson = (value: unknown): string =>
  replaceUnseen(JSON.stringify(value), (found) =>
    Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  )
