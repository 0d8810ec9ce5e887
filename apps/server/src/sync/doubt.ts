/**
 * How long a cluster may show less than it acknowledged before it is believed: longer than a leader takes that was cut off to
 * notice it (10 s), and than one that was just chosen takes to apply what it holds.
 */
export const DOUBT_MS = 15_000
