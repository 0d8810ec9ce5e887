/**
 * How long a cluster may show less than it acknowledged before the loss is accepted. It is longer than a leader needs to notice
 * that it was cut off (10 s), and than a newly elected leader needs to apply its log.
 */
export const DOUBT_MS = 15_000
