import type { z } from 'zod'
import type { PluginScheduler } from '../contracts/compiled-profile.ts'
import type { Filter } from '../contracts/filter.ts'
import type { PluginNamespace } from '../contracts/namespace.ts'
import type { Weigher } from '../contracts/weigher.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { RequestSpec } from '../request/request-spec.ts'

type Options = Readonly<Record<string, unknown>>

/** Defines a filter. The types of its options are derived from its parameters. */
export const defineFilter = <Given extends Options = Options>(
  filter: Omit<Filter, 'parameters' | 'prepare'> & {
    readonly parameters?: z.ZodType<Given>
    prepare(request: RequestSpec, fleet: Fleet, options: Given): ReturnType<Filter['prepare']>
  },
): Filter => filter as Filter

/** Returns the namespace unchanged. TypeScript checks its type. */
export const defineNamespace = (namespace: PluginNamespace): PluginNamespace => namespace

/** Returns the scheduler unchanged. TypeScript checks its type. */
export const defineScheduler = (scheduler: Omit<PluginScheduler, 'fail'>): PluginScheduler => scheduler

/** Defines a weigher. The types of its options are derived from its parameters. */
export const defineWeigher = <Given extends Options = Options>(
  weigher: Omit<Weigher, 'parameters' | 'prepare'> & {
    readonly parameters?: z.ZodType<Given>
    prepare(request: RequestSpec, fleet: Fleet, options: Given, multiplier: number): ReturnType<Weigher['prepare']>
  },
): Weigher => weigher as Weigher
