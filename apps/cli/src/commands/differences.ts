import { wrap } from './table.ts'

/** Something in which two states differ. */
interface Difference {
  readonly subject: string
  readonly name: string
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** How two states differ, as the API answers it; the first hundred differences are listed. */
export interface Differences {
  readonly differenceCount: number
  readonly differences: readonly Difference[]
}

export const DIFFERENCES = 'differenceCount differences { subject name field before after }'

/** A line for each, in the words of the command: what was, and what is or would be; and how many more there are. */
export const differenceLines = (
  { differences, differenceCount }: Differences,
  between: (before: string, after: string) => string,
): readonly string[] => [
  ...differences.flatMap(({ subject, name, field, before, after }) =>
    wrap(`${[subject, name, field].filter((word) => word !== '').join(' ')}: ${between(before ?? 'nothing', after ?? 'nothing')}`),
  ),
  ...(differenceCount > differences.length ? [`... and ${differenceCount - differences.length} more`] : []),
]
