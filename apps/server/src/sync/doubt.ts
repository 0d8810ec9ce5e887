/**
 * A cluster may show less than it acknowledged for this long before the loss is accepted. A leader needs 10 s to notice that it was cut
 * off, and a new leader needs time to apply its log.
 */
export const DOUBT_MS = 15_000
