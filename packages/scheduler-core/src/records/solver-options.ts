import { z } from 'zod'

/** The effort that a profile with the scheduler `solver` allows for the search. */
export const solverOptionsSchema = z
  .strictObject({
    timeLimitMs: z
      .number()
      .int()
      .min(10)
      .max(30_000)
      .default(2_000)
      .meta({ description: 'Time after which the search ends; a shorter deadline of the caller ends it sooner.', unit: 'milliseconds' }),
    nodeLimit: z.number().int().min(1).max(1_000_000).default(10_000).describe('Number of branches after which the search ends.'),
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
        'The number of hosts per kind of instances, the best by score, that are considered; more where those have no room for all.',
      ),
  })
  .describe('How much effort the solver spends on the best arrangement.')

export type SolverOptions = Readonly<z.output<typeof solverOptionsSchema>>

export const DEFAULT_SOLVER_OPTIONS: SolverOptions = solverOptionsSchema.parse({})
