import { wrap } from '../../output/table.ts'

/** A value that differs between two states. */
interface Difference {
  readonly subject: string
  readonly name: string
  readonly field: string
  readonly before: string | null
  readonly after: string | null
}

/** The differences between two states of a replica. The API counts all of them and lists the first hundred. */
export interface Differences {
  readonly differenceCount: number
  readonly differences: readonly Difference[]
}

/** A line for each difference with the old and the new value, and a line with the count of differences that are not listed. */
export const differenceLines = (
  { differences, differenceCount }: Differences,
  between: (before: string, after: string) => string,
): readonly string[] => [
  ...differences.flatMap(({ subject, name, field, before, after }) =>
    wrap(`${[subject, name, field].filter((word) => word !== '').join(' ')}: ${between(before ?? 'nothing', after ?? 'nothing')}`),
  ),
  ...(differenceCount > differences.length ? [`... and ${differenceCount - differences.length} more`] : []),
]
