import { isRatio, isReserved } from '@gantt/scheduler-core'
import { type Issue, issue } from '../calls/outcome.ts'

/**
 * The ratio and the reserved amount of one resource class. In a call, null removes a value. In an answer, null means that no value is set.
 */
export interface ClassAllocation {
  readonly resourceClass: string
  readonly ratio?: number | null | undefined
  readonly reserved?: number | null | undefined
}

/** Problems of a ratio and a reserved amount of one class. */
export function checkAllocation(path: readonly string[], { resourceClass, ratio, reserved }: ClassAllocation): Issue[] {
  const issues: Issue[] = []
  if (!/^[A-Z][A-Z0-9_]{0,254}$/.test(resourceClass))
    issues.push(issue([...path, 'resourceClass'], resourceClass, 'be a resource class: capital letters, digits and _'))
  if (typeof ratio === 'number' && !isRatio(ratio)) issues.push(issue([...path, 'ratio'], ratio, 'be 0.001 to 1000'))
  if (typeof reserved === 'number' && !isReserved(reserved))
    issues.push(issue([...path, 'reserved'], reserved, 'be a whole number of 0 to 1099511627776'))
  return issues
}
