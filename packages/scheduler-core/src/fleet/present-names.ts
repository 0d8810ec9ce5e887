import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { HostName } from '../values/host-name.ts'
import type { Fleet } from './fleet.ts'

/**
 * Replaces former host names in a call by the present names of the hosts. Callers therefore need not know that a host was renamed. All
 * other names are returned unchanged: present names, unknown names, and names of forgotten hosts.
 */
export function presentHosts(hosts: HostTable, names: readonly string[]): readonly string[] {
  return changed(names, (host) => {
    if (hosts.nodesOf(host).length > 0) return [host]
    const replacements = hosts.renamedNodesOf(host).map((index) => replacementOf(hosts, hosts.get(index)).host)
    return replacements.length === 0 ? [host] : replacements
  })
}

/** Replaces former node names by present ones. Used for calls that name nodes without their hosts. */
function presentNodes(hosts: HostTable, names: readonly string[]): readonly string[] {
  return changed(names, (name) => {
    const had = hosts.hasNode(name) ? [] : hosts.formerNodesNamed(name)
    return had.length === 0 ? [name] : had.map((index) => replacementOf(hosts, hosts.get(index)).node)
  })
}

/** The present name of a node, if the name is a former name. Any other name is returned unchanged. */
export function presentName(hosts: HostTable, name: HostName): HostName {
  if (hosts.find(name) !== undefined) return name
  const renamed = hosts.findRenamed(name)
  if (renamed === undefined) return name
  const { host, node } = replacementOf(hosts, renamed)
  return { host, node }
}

/** The present hosts with this present or former name. If `node` is null or absent, all nodes of the host. */
export function nodesNamed(hosts: HostTable, { host, node }: NamedHost): HostRecord[] {
  if (typeof node === 'string') return [hosts.find(presentName(hosts, { host, node })) ?? []].flat()
  const nodes = hosts.nodesOf(host)
  const indexes = nodes.length > 0 ? nodes : presentHosts(hosts, [host]).flatMap((name) => hosts.nodesOf(name))
  return indexes.map((index) => hosts.get(index))
}

/**
 * Like `nodesNamed`, for a name in the form HOST or HOST/NODE. HOST selects all nodes of the host. If the name of a host is exactly the
 * text, this host is returned.
 */
export function nodesMeant(hosts: HostTable, text: string): HostRecord[] {
  const whole = nodesNamed(hosts, { host: text })
  const slash = text.indexOf('/')
  return whole.length > 0 || slash < 0 ? whole : nodesNamed(hosts, { host: text.slice(0, slash), node: text.slice(slash + 1) })
}

/** The host itself, or the host into which it was merged. */
export const replacementOf = (hosts: HostTable, record: HostRecord): HostRecord =>
  record.gone === null || record.gone.mergedInto === null ? record : replacementOf(hosts, hosts.get(record.gone.mergedInto))

/** The host's present name, and its former names that were not readmitted for other hosts. */
export const namesOf = ({ host, formerNames }: Pick<HostRecord, 'host' | 'formerNames'>): readonly string[] => {
  const former = formerNames.filter(({ isFree }) => !isFree)
  return former.length === 0 ? [host] : [...new Set([host, ...former.map((name) => name.host)])]
}

/** A host or one of its nodes, as a caller names it. If `node` is null or absent, all nodes of the host. */
export interface NamedHost {
  readonly host: string
  readonly node?: string | null | undefined
}

/**
 * Returns a function that returns true if a recorded name refers to one of the named hosts: the names are equal, or both names refer to the
 * same present host.
 */
export function isNamedIn(hosts: HostTable, asked: readonly NamedHost[]): (name: HostName) => boolean {
  const names = asked.flatMap((one) => [one, ...presentOf(hosts, one)])
  const wanted = new Set(names.map(({ host, node }) => (typeof node === 'string' ? nodeKey({ host, node }) : host)))
  const has = (name: HostName): boolean => wanted.has(name.host) || wanted.has(nodeKey(name))
  return (name) => has(name) || has(presentName(hosts, name))
}

const nodeKey = ({ host, node }: HostName): string => `${host}\u0000${node}`

const presentOf = (hosts: HostTable, { host, node }: NamedHost): readonly NamedHost[] =>
  typeof node === 'string' ? [presentName(hosts, { host, node })] : presentHosts(hosts, [host]).map((name) => ({ host: name }))

/** For each host with several names, its present name followed by its former names. */
export function hostsOfManyNames(hosts: HostTable): readonly (readonly string[])[] {
  const byName = new Map<string, Set<string>>()
  for (const { formerNames } of hosts.records)
    for (const { host, isFree } of formerNames)
      if (!isFree)
        for (const now of presentHosts(hosts, [host])) if (now !== host) byName.set(now, (byName.get(now) ?? new Set([now])).add(host))
  return Array.from(byName.values(), (names) => [...names])
}

/**
 * Returns a function that returns all names of a host with several names, for any of these names. For any other host, the function returns
 * only the name that it was called with.
 */
export function allNamesIn(ofMany: ReturnType<typeof hostsOfManyNames>): (host: string) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  for (const names of ofMany) for (const name of names) known.set(name, [...new Set([...(known.get(name) ?? []), ...names])])
  return (host) => known.get(host) ?? [host]
}

/** Replaces former host and node names in a request by the present names. Returns the same object if no name changes. */
export function withPresentNames({ hosts }: Fleet, request: RequestSpec): RequestSpec {
  const { forceHosts, forceNodes, ignoreHosts, requestedDestination, instanceGroup } = request
  const next = {
    forceHosts: presentHosts(hosts, forceHosts),
    forceNodes: presentNodes(hosts, forceNodes),
    ignoreHosts: presentHosts(hosts, ignoreHosts),
    requestedDestination: requestedDestination && presentDestination(hosts, requestedDestination),
    instanceGroup: instanceGroup && presentGroup(hosts, instanceGroup),
  }
  const isSame =
    next.forceHosts === forceHosts &&
    next.forceNodes === forceNodes &&
    next.ignoreHosts === ignoreHosts &&
    next.requestedDestination === requestedDestination &&
    next.instanceGroup === instanceGroup
  return isSame
    ? request
    : { ...request, ...next, forceHosts: [...next.forceHosts], forceNodes: [...next.forceNodes], ignoreHosts: [...next.ignoreHosts] }
}

type Destination = NonNullable<RequestSpec['requestedDestination']>

function presentDestination(hosts: HostTable, destination: Destination): Destination {
  const { host, node } = destination
  const next = host === null ? { host, node: presentNode(hosts, node) } : presentPair(hosts, host, node)
  return next.host === host && next.node === node ? destination : { ...destination, ...next }
}

const presentNode = (hosts: HostTable, node: string | null): string | null =>
  node === null ? null : (presentNodes(hosts, [node])[0] ?? node)

const presentPair = (hosts: HostTable, host: string, node: string | null) =>
  node === null ? { host: presentHosts(hosts, [host])[0] ?? host, node } : presentName(hosts, { host, node })

function presentGroup(hosts: HostTable, group: NonNullable<RequestSpec['instanceGroup']>): NonNullable<RequestSpec['instanceGroup']> {
  const next = presentHosts(hosts, group.hosts)
  return next === group.hosts ? group : { ...group, hosts: [...next] }
}

/** Maps the names and removes duplicates. Returns the same list if no name changes. */
function changed(names: readonly string[], toNames: (name: string) => readonly string[]): readonly string[] {
  const next = names.map(toNames)
  return next.every((some, i) => some.length === 1 && some[0] === names[i]) ? names : [...new Set(next.flat())]
}
