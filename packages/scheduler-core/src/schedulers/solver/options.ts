import { z } from 'zod'

/** How hard a profile with the scheduler `solver` looks for the best arrangement. */
export const solverOptionsSchema = z.strictObject({
  /** The search ends after so many milliseconds; a caller that waits less long ends it sooner. */
  timeLimitMs: z.number().int().min(10).max(30_000).default(2_000),
  /** The search ends after so many branches. */
  nodeLimit: z.number().int().min(1).max(1_000_000).default(10_000),
  /** It ends when the best arrangement is proved to be within this share of the best possible. */
  gap: z.number().min(0).max(1).default(0.0001),
  /** Of so many hosts per kind of instances, the best by score, an arrangement is made; more where those have no room for all. */
  candidates: z.number().int().min(1).max(1_000).default(100),
})

export type SolverOptions = Readonly<z.output<typeof solverOptionsSchema>>

export const DEFAULT_SOLVER_OPTIONS: SolverOptions = solverOptionsSchema.parse({})
