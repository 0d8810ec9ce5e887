import type { RequestSpec } from '@gantt/scheduler-core'
import { singlesHostOut } from '@gantt/scheduler-core/nova'
import { type Issue, issue } from './outcome.ts'

/** What is outside of what a key is bound to. */
export const refused = (path: readonly string[], found: unknown, rule: string): Issue => issue(path, found, rule, 'key.bound')

/** A project asks for a profile by its name: which of its versions decides is the operators' word, and a draft decides nothing. */
export const foreignProfile = (profile: string | null | undefined, path: readonly string[]): Issue[] =>
  profile?.includes('@') ? [refused(path, profile, 'be a name without a version for a key bound to a project')] : []

/** What a project may not say for itself: that it is another one, and whatever names a host. */
export function foreignParts(request: RequestSpec, project: string, path: readonly string[]): Issue[] {
  const issues: Issue[] = []
  if (request.projectId !== project)
    issues.push(refused([...path, 'projectId'], request.projectId ?? undefined, 'be the project that the key is bound to'))
  const isGiven = (value: unknown): boolean =>
    value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)
  const named: readonly (readonly [field: string, value: unknown])[] = [
    ['forceHosts', request.forceHosts],
    ['forceNodes', request.forceNodes],
    ['requestedDestination', request.requestedDestination],
    ['ignoreHosts', request.ignoreHosts],
    ['schedulerHints', request.schedulerHints],
    ['instanceGroup.hosts', request.instanceGroup?.hosts],
    // it may name hosts where only Nova's rules read them
    ['nova', request.nova],
    // an aggregate of one host is a name of that host
    ['requestedResources', request.requestedResources.filter(({ memberOf }) => memberOf.length > 0)],
  ]
  for (const [field, value] of named)
    if (isGiven(value)) issues.push(refused([...path, ...field.split('.')], value, 'be left out by a key bound to a project'))
  // some filters take the name of a host, or what is left on it, for a capability
  for (const [key, value] of Object.entries(request.flavor.extraSpecs))
    if (singlesHostOut(key))
      issues.push(refused([...path, 'flavor', 'extraSpecs', key], value, 'be left out by a key bound to a project: it tells hosts apart'))
  return issues
}
