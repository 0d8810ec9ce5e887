import { whole } from '../../report/versions/v1-0.ts'

/** The largest distance that a document may contain. */
export const FARTHEST = 99
/** The distance to a thing in the host's availability zone, if the host's document has no distance to it. */
export const SAME_ZONE = 100
/** The distance to a thing that the host cannot reach. */
export const ELSEWHERE = 1_000

/** A distance in whole steps. The service that reports the documents of a namespace defines what a step is. */
export const distance = whole(FARTHEST).default(1)
