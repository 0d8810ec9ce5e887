import { z } from 'zod'

/** Limits on the solver's search, in a profile with the scheduler `solver`. */
export const solverOptionsSchema = z
  .strictObject({
    timeLimitMs: z
      .number()
      .int()
      .min(10)
      .max(30_000)
      .default(2_000)
      .meta({ description: 'The search ends after this time, or at an earlier deadline of the caller.', unit: 'milliseconds' }),
    nodeLimit: z.number().int().min(1).max(1_000_000).default(10_000).describe('The search ends after this many branches.'),
    gap: z
      .number()
      .min(0)
      .max(1)
      .default(0.0001)
      .describe('The search ends when the best arrangement is proved to be within this share of the optimum.'),
    candidates: z
      .number()
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe(
        'How many hosts are considered for each kind of instances, best scores first. More are considered if the instances do not all fit on these.',
      ),
  })
  .describe('Limits on the search of the solver.')

export type SolverOptions = Readonly<z.output<typeof solverOptionsSchema>>

export const DEFAULT_SOLVER_OPTIONS: SolverOptions = solverOptionsSchema.parse({})
