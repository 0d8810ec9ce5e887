import { isDeepStrictEqual } from 'node:util'
import { canonicalJson, type Decided } from '@gantt/scheduler-core'

export type Placed = Pick<Decided, 'parts' | 'answer'> & { readonly instances: Decided['record']['instances'] }

/** The part of a decision that another way to decide must make too: claims, answer, and the record of each instance. */
export const placedBy = ({ parts, answer, record: { instances } }: Decided): Placed => ({ parts, answer, instances })

/** True if two decisions are equal to the last bit. */
export const isSame = (one: Placed, other: Placed): boolean => isDeepStrictEqual(plain(one), plain(other))

/** Throws an error that shows both decisions if they differ. */
export function assertSame(decided: Decided, expected: Placed): void {
  const found = placedBy(decided)
  if (!isSame(found, expected))
    throw new Error(
      `the decision differs from the plain scan: expected ${canonicalJson(plain(expected))}, found ${canonicalJson(plain(found))}`,
    )
}

/** Without properties that are undefined, and with numbers as JSON has them, as in the log. */
const plain = (placed: Placed): unknown => JSON.parse(JSON.stringify(placed))
