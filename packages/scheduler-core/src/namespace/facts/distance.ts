import { whole } from '../../report/versions/v1-0.ts'

/** The largest distance that a document may contain. Things without a reported distance are farther. */
export const FARTHEST = 99
/** The distance to something in the host's availability zone to which no path is reported. */
export const SAME_ZONE = 100
/** The distance to something that the host cannot reach. */
export const ELSEWHERE = 1_000

/** A whole number of steps without a unit. The reporters of one namespace define what a step is. */
export const distance = whole(FARTHEST).default(1)
