/**
 * If a cluster shows fewer entries than it acknowledged, the loss is accepted only after this time. A leader needs 10 s to notice that it
 * was cut off, and a new leader needs time to apply its log.
 */
export const DOUBT_MS = 15_000
