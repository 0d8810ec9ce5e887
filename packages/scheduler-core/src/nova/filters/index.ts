import type { NovaFilter } from '../nova-filter.ts'
import { aggregateIoOpsFilter, ioOpsFilter } from './io-ops.ts'

/** Nova's filters, by the names under which Nova registers them. */
export const novaFilters: readonly NovaFilter[] = [ioOpsFilter, aggregateIoOpsFilter]
