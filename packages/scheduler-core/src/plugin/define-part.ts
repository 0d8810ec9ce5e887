import type { z } from 'zod'
import type { Filter } from '../filters/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { PluginScheduler } from '../pipeline/compiled-profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Weigher } from '../weighers/weigher.ts'
import type { PluginNamespace } from './namespace.ts'

type Options = Readonly<Record<string, unknown>>

/** A filter whose options have the types of its parameters. */
export const defineFilter = <Given extends Options = Options>(
  filter: Omit<Filter, 'parameters' | 'prepare'> & {
    readonly parameters?: z.ZodType<Given>
    prepare(request: RequestSpec, fleet: Fleet, options: Given): ReturnType<Filter['prepare']>
  },
): Filter => filter as Filter

/** A namespace. */
export const defineNamespace = (namespace: PluginNamespace): PluginNamespace => namespace

/** A scheduler. */
export const defineScheduler = (scheduler: Omit<PluginScheduler, 'fail'>): PluginScheduler => scheduler

/** A weigher whose options have the types of its parameters. */
export const defineWeigher = <Given extends Options = Options>(
  weigher: Omit<Weigher, 'parameters' | 'prepare'> & {
    readonly parameters?: z.ZodType<Given>
    prepare(request: RequestSpec, fleet: Fleet, options: Given, multiplier: number): ReturnType<Weigher['prepare']>
  },
): Weigher => weigher as Weigher
