import { aggregateRatioKeys, type HostStats, isRatioUnset } from '@gantt/scheduler-core'
import { type Issue, issue } from '../calls/outcome.ts'

/**
 * Checks `nova.openRatios` and `nova.openReserves`: each named class must be left to the settings of the fleet by this report, because
 * otherwise the entry would have no effect. A class is left open only if it is VCPU, MEMORY_MB or DISK_GB, has an inventory without a value
 * of its own, and, for a ratio, has no ratio in the ComputeNode. Stored reports are not checked.
 */
export function checkOpenClasses({ nova, inventories }: HostStats, path: readonly string[]): Issue[] {
  if (nova === null) return []
  const byClass = new Map(inventories.map((inventory, i) => [inventory.resourceClass, { inventory, at: `inventories.${i}` }]))
  const check = (field: 'openRatios' | 'openReserves', missingRule: (resourceClass: string) => string | undefined): Issue[] =>
    nova[field].flatMap((resourceClass, i) => {
      const rule = missingRule(resourceClass)
      return rule === undefined ? [] : [issue([...path, 'nova', field, String(i)], resourceClass, rule, 'stats.invalid')]
    })
  const classRule = (resourceClass: string): string | undefined => {
    if (!Object.hasOwn(aggregateRatioKeys, resourceClass))
      return 'be VCPU, MEMORY_MB or DISK_GB: the settings of the fleet contain no other class'
    if (!byClass.has(resourceClass)) return 'be a class of `inventories`: a class without an inventory needs no entry here'
    return undefined
  }
  return [
    ...check('openRatios', (resourceClass) => {
      const rule = classRule(resourceClass)
      if (rule !== undefined) return rule
      if (!isRatioUnset(nova, resourceClass)) return `be left out: the ComputeNode states ${aggregateRatioKeys[resourceClass]}`
      const own = byClass.get(resourceClass)
      if (own === undefined || own.inventory.allocationRatio === 1) return undefined
      return `be left out: ${own.at}.allocationRatio states the ratio ${own.inventory.allocationRatio}`
    }),
    ...check('openReserves', (resourceClass) => {
      const rule = classRule(resourceClass)
      if (rule !== undefined) return rule
      const own = byClass.get(resourceClass)
      if (own === undefined || own.inventory.reserved === 0) return undefined
      return `be left out: ${own.at}.reserved states the reserved amount ${own.inventory.reserved}`
    }),
  ]
}
