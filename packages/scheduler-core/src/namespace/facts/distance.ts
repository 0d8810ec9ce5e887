import { whole } from '../../report/versions/v1-0.ts'

/** The largest distance that a document may give. A thing without a distance is farther than that. */
export const FARTHEST = 99
/** The distance to what no reported path reaches, but is in the host's availability zone. */
export const SAME_ZONE = 100
/** The distance to something that the host does not reach. */
export const ELSEWHERE = 1_000

/** Whole steps without a unit: the reporters of one namespace agree on what a step is. */
export const distance = whole(FARTHEST).default(1)
