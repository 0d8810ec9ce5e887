import { wrap } from '../../output/table.ts'

/** Something in which two states differ. */
interface Difference {
  readonly subject: string
  readonly name: string
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** The differences of two states in the API's answer; the first hundred are listed. */
export interface Differences {
  readonly differenceCount: number
  readonly differences: readonly Difference[]
}

/** A line for each difference, in the words of the command: the old and the new value; and the number of others. */
export const differenceLines = (
  { differences, differenceCount }: Differences,
  between: (before: string, after: string) => string,
): readonly string[] => [
  ...differences.flatMap(({ subject, name, field, before, after }) =>
    wrap(`${[subject, name, field].filter((word) => word !== '').join(' ')}: ${between(before ?? 'nothing', after ?? 'nothing')}`),
  ),
  ...(differenceCount > differences.length ? [`... and ${differenceCount - differences.length} more`] : []),
]
