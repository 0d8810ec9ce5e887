import { type AggregateState, type Fleet, inSlices, presentHosts, SLICE, type Steps, ZONE_KEY } from '@gantt/scheduler-core'
import { type Issue, issue, ManyIssues } from '../calls/outcome.ts'
import { checkName, checkText } from '../calls/text.ts'
import type { AggregateEdit } from './aggregate-edit.ts'

const MAX_HOSTS = 100_000
/** The metadata keys of an aggregate, and those that one edit sets. */
export const MAX_KEYS = 256

function checkMetadata({ name, availabilityZone, setMetadata, unsetMetadata }: AggregateEdit): Issue[] {
  const issues: Issue[] = []
  if (typeof name === 'string') issues.push(...checkName(['input', 'name'], name))
  if (typeof availabilityZone === 'string') issues.push(...checkName(['input', 'availabilityZone'], availabilityZone))
  if ((setMetadata ?? []).length > MAX_KEYS) return [...issues, issue(['input', 'setMetadata'], setMetadata, `be at most ${MAX_KEYS} keys`)]
  const keys = new Set<string>()
  for (const [i, { key, value }] of (setMetadata ?? []).entries()) {
    const path = ['input', 'setMetadata', String(i)]
    issues.push(...checkName([...path, 'key'], key))
    // a zone must be a valid name; other values are interpreted by the filters and weighers that read them
    const checkValue = key === ZONE_KEY ? checkName : checkText
    issues.push(...checkValue([...path, 'value'], value, { min: key === ZONE_KEY ? 1 : 0, max: 4_096 }))
    if (key === '__proto__') issues.push(issue([...path, 'key'], key, 'be another key'))
    if (keys.has(key)) issues.push(issue([...path, 'key'], key, 'be given once', 'call.repeated'))
    if (key === ZONE_KEY && typeof availabilityZone === 'string' && value !== availabilityZone)
      issues.push(issue([...path, 'value'], value, `be ${availabilityZone}, which is the value of availabilityZone`))
    keys.add(key)
  }
  for (const [i, key] of (unsetMetadata ?? []).entries())
    if (keys.has(key)) issues.push(issue(['input', 'unsetMetadata', String(i)], key, 'not be set by the same edit', 'call.repeated'))
  return issues
}

/** The problem of an edit that leaves an aggregate with more keys than the limit, unless the aggregate had at least as many before. */
export function tooManyKeys(next: AggregateState | null, before: AggregateState | undefined): Issue | undefined {
  const [found, had] = [next, before].map((state) => Object.keys(state?.metadata ?? {}).length) as [number, number]
  if (found <= Math.max(MAX_KEYS, had)) return undefined
  const path = ['input', before === undefined ? 'metadata' : 'setMetadata']
  return issue(path, `${found} keys`, `leave the aggregate with at most ${MAX_KEYS} keys of metadata`, 'call.too_large')
}

/** Finds the problems of an edit. The check yields between steps, because an aggregate can contain all hosts of a fleet. */
export function* checkEdit({ hosts }: Fleet, edit: AggregateEdit): Steps<ManyIssues> {
  const issues = new ManyIssues()
  issues.addAll(checkMetadata(edit))
  const { addHosts, removeHosts } = edit
  if ((addHosts ?? []).length > MAX_HOSTS) issues.add(() => issue(['input', 'addHosts'], addHosts, `be at most ${MAX_HOSTS} hosts`))
  const removed = new Set(removeHosts)
  let i = -1
  for (const host of inSlices(addHosts ?? [], SLICE)) {
    if (host === undefined) {
      yield
      continue
    }
    i++
    const path = ['input', 'addHosts', String(i)]
    if (presentHosts(hosts, [host]).every((name) => hosts.nodesOf(name).length === 0))
      issues.add(() => issue(path, host, 'be the name of a host that has reported', 'host.unknown'))
    if (removed.has(host)) issues.add(() => issue(path, host, 'not be removed by the same edit', 'call.repeated'))
  }
  return issues
}
