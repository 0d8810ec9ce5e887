import { showUnseen } from '@gantt/scheduler-core/query'

const ESCAPE = '\u001b'

/** What lines of ours may have next to text: breaks, bold on and off, and a line that is written anew. */
const OWN = new RegExp(`(\n|${ESCAPE}\\[(?:1|22)m|^\r${ESCAPE}\\[K)`)

/** A line as a terminal may be given it: what names of older data have in them that is not seen is escaped. */
export const shownLine = (line: string): string =>
  line
    .split(OWN)
    .map((part, at) => (at % 2 === 1 ? part : showUnseen(part)))
    .join('')

/** JSON in one line, in which nothing is unseen; it means the same. */
export const shownJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
