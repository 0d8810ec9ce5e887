import type { RequestSpec } from '@gantt/scheduler-core'
import { singlesHostOut } from '@gantt/scheduler-core/nova'
import { type Issue, issue } from '../calls/outcome.ts'

/** The issue for an argument that a key bound to a project may not use. */
export const refused = (path: readonly string[], found: unknown, rule: string): Issue => issue(path, found, rule, 'key.bound')

/** Refuses a profile name with a version, because operators select the version that decides. */
export const foreignProfile = (profile: string | null | undefined, path: readonly string[]): Issue[] =>
  profile?.includes('@') ? [refused(path, profile, 'be a name without a version for a key bound to a project')] : []

/** The errors in the fields that a project may not set: a project other than its own, and every field that identifies a host. */
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
    // the field `nova` can name hosts, and only profiles with Nova's rules read it
    ['nova', request.nova],
    // an aggregate with a single host identifies that host
    ['requestedResources', request.requestedResources.filter(({ memberOf }) => memberOf.length > 0)],
  ]
  for (const [field, value] of named)
    if (isGiven(value)) issues.push(refused([...path, ...field.split('.')], value, 'be left out, because the key is bound to a project'))
  // some filters compare a capability with the name or the free amounts of a host
  for (const [key, value] of Object.entries(request.flavor.extraSpecs))
    if (singlesHostOut(key))
      issues.push(
        refused(
          [...path, 'flavor', 'extraSpecs', key],
          value,
          'be left out, because the key is bound to a project: the field distinguishes hosts',
        ),
      )
  return issues
}
