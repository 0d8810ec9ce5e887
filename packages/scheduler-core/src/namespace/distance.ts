import { whole } from '../fleet/stats-versions/v1-0.ts'

/** The farthest that a document may say; what it does not say is farther. */
export const FARTHEST = 99
/** What is reached by no path that is told, but is in the host's availability zone. */
export const SAME_ZONE = 100
/** What is not reached. */
export const ELSEWHERE = 1_000

/** Whole steps of no unit: the reporters of one namespace agree on what a step is. */
export const distance = whole(FARTHEST).default(1)
