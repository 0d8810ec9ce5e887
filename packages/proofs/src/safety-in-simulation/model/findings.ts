import { amountsOf, CLASSES } from './allocation.ts'
import { growsInPlace, isLiveState } from './claim.ts'
import type { ModelFleet } from './fleet.ts'
import { heldOn } from './room.ts'
import type { ModelClaim, ModelHost } from './state.ts'

/** The findings that an auditor must report, one line each: code, host, claim, expected, actual. */
export function findingsOf(fleet: ModelFleet, afterMs: number): string[] {
  const there = fleet.hosts.filter(({ gone }) => gone === null)
  const instances = new Set([...fleet.claims.flatMap(({ instance }) => instance ?? []), ...there.flatMap(({ present }) => present)])
  return [
    ...there.flatMap((host) => [
      ...hasTooLittle(fleet, host),
      ...usesTooLittle(fleet, host),
      ...listsNobodysInstances(fleet, host, afterMs),
      ...isAnotherToo(host, there),
    ]),
    ...[...instances].flatMap((instance) => [...listedTwice(fleet, instance, afterMs), ...claimsNotListed(fleet, instance, afterMs)]),
  ].sort()
}

/** A finding as one line of text. */
export const lineOf = (code: string, host: string | null, claim: string | null, expected: string, actual: string): string =>
  JSON.stringify([code, host, claim, expected, actual])

const isLive = ({ state }: ModelClaim): boolean => isLiveState(state)

/**
 * The finding about a host that has less than its live claims hold. A move on the same host is counted once, with the larger of both sizes.
 */
function hasTooLittle(fleet: ModelFleet, host: ModelHost): string[] {
  if (fleet.level < 8) return []
  const here = fleet.claims.filter((claim) => claim.host === host.name && isLive(claim))
  const held = here.map((claim) =>
    growsInPlace(fleet, claim) && claim.extra !== null ? { amounts: claim.extra, gpus: [] } : { amounts: claim.amounts, gpus: claim.gpus },
  )
  const sums = [
    ...CLASSES.map((name) => ({
      capacity: amountsOf(fleet, host, name).capacity,
      sum: held.reduce((all, { amounts }) => all + (amounts[name] ?? 0), 0),
    })),
    { capacity: 1_000 * host.gpus.length, sum: 1_000 * held.reduce((all, { gpus }) => all + gpus.length, 0) },
  ]
  return sums
    .filter(({ capacity, sum }) => sum > capacity)
    .map(({ capacity, sum }) => lineOf('capacity.below_claims', host.name, null, `at least ${sum}`, String(capacity)))
}

/** The finding about a host whose report counts less use than its own instances hold, or does not list these instances. */
function usesTooLittle(fleet: ModelFleet, host: ModelHost): string[] {
  if (fleet.level < 8 || host.fromClaims) return []
  const { shown } = heldOn(fleet, host)
  const sums = [
    ...CLASSES.map((name) => ({
      used: amountsOf(fleet, host, name).used,
      held: shown.reduce((sum, { amounts }) => sum + (amounts[name] ?? 0), 0),
    })),
    { used: 1_000 * host.gpusUsed.length, held: 1_000 * shown.reduce((sum, { gpus }) => sum + gpus.length, 0) },
  ]
  const count = fleet.claims.filter((claim) => claim.host === host.name && isLive(claim)).length
  return [
    ...sums
      .filter(({ used, held }) => held > used)
      .map(({ used, held }) => lineOf('use.below_claims', host.name, null, `at least ${held}`, String(used))),
    ...(host.listsNothing && count > 0 ? [lineOf('use.no_instances', host.name, null, `at least ${count}`, 'not listed')] : []),
  ]
}

/** Whether a claim ended so long ago that its host should have removed the instance. */
const isLongOver = (fleet: ModelFleet, { endedAt }: ModelClaim, afterMs: number): boolean =>
  endedAt !== null && fleet.now - endedAt >= afterMs

const listsInstance = (host: ModelHost | undefined, instance: string | null): boolean =>
  host !== undefined && host.gone === null && !host.listsNothing && instance !== null && host.present.includes(instance)

/**
 * The claims that explain why the host lists an instance: live claims, and claims that ended while the host listed the instance, if the
 * host has listed it ever since.
 */
const claimsHere = (fleet: ModelFleet, host: ModelHost, instance: string): ModelClaim[] =>
  fleet.claims.filter((claim) => claim.host === host.name && claim.instance === instance && (isLive(claim) || claim.lingers))

/**
 * The finding about a host that lists instances without a live claim. An instance whose claim ended recently is left out, because the host
 * may still be removing it. A reservation on another host does not explain that this host lists the instance.
 */
function listsNobodysInstances(fleet: ModelFleet, host: ModelHost, afterMs: number): string[] {
  if (host.listsNothing) return []
  const found = host.present.filter(
    (instance) =>
      !fleet.claims.some(
        (claim) => claim.instance === instance && isLive(claim) && (claim.host === host.name || claim.state !== 'RESERVED'),
      ) && claimsHere(fleet, host, instance).every((claim) => isLongOver(fleet, claim, afterMs)),
  )
  const more = found.length > 3 ? ` and ${found.length - 3} more` : ''
  const text = `${found.length} without: ${found.slice(0, 3).join(', ')}${more}`
  return found.length > 0 ? [lineOf('instance.unclaimed', host.name, null, 'a claim for each', text)] : []
}

/** The finding about a host whose machine also reports under another name. The first host of the machine gets no finding. */
function isAnotherToo({ name, machine }: ModelHost, there: readonly ModelHost[]): string[] {
  if (machine === null) return []
  const [first] = there.filter((other) => other.machine === machine)
  return first === undefined || first.name === name
    ? []
    : [lineOf('host.same_machine', name, null, 'one host for each machine', `as ${first.name}`)]
}

/** The live claims of an instance without the destinations of moves. */
const liveOf = (fleet: ModelFleet, instance: string): ModelClaim[] =>
  fleet.claims.filter((claim) => claim.instance === instance && isLive(claim) && claim.source === null).sort((a, b) => a.fence - b.fence)

/**
 * The hosts that list an instance: first the hosts of its claims, in the order of the claims, then all others. A host whose claim for the
 * instance ended recently is left out.
 */
function listersOf(fleet: ModelFleet, instance: string, afterMs: number): ModelHost[] {
  const listing = fleet.hosts.filter((host) => listsInstance(host, instance))
  const counted = listing.filter((host) => {
    const here = claimsHere(fleet, host, instance)
    return here.some(isLive) || here.every((claim) => isLongOver(fleet, claim, afterMs))
  })
  const claimed = fleet.claims
    .filter((claim) => claim.instance === instance && isLive(claim))
    .sort((a, b) => a.fence - b.fence)
    .flatMap(({ host }) => counted.filter(({ name }) => name === host))
  return [...new Set([...claimed, ...counted])]
}

/** The names of the first ten hosts, and the count of the others. */
const textOf = (names: readonly string[]): string =>
  `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`

function listedTwice(fleet: ModelFleet, instance: string, afterMs: number): string[] {
  const listers = listersOf(fleet, instance, afterMs)
  const names = listers.map(({ name }) => name)
  const isMoving = liveOf(fleet, instance).some((claim) => {
    const ends = [claim.host, claim.target === null ? claim.host : fleet.claim(claim.target)?.host]
    return names.every((name) => ends.includes(name))
  })
  if (isMoving) return []
  return names.slice(1, 2).map((name) => lineOf('instance.two_hosts', name, null, 'one', textOf(names)))
}

/**
 * The findings about confirmed claims whose host does not list the instance. During a move there is a finding only if neither host lists
 * the instance. A host whose report has no list can run the instance, so there is no finding about it.
 */
function claimsNotListed(fleet: ModelFleet, instance: string, afterMs: number): string[] {
  const names = listersOf(fleet, instance, afterMs).map(({ name }) => name)
  return liveOf(fleet, instance).flatMap((claim) => {
    const destination = claim.target === null ? undefined : fleet.claim(claim.target)
    const hosts = [claim.host, ...(destination === undefined ? [] : [destination.host])].map((name) => fleet.host(name))
    if (claim.state !== 'CONFIRMED' || hosts.some((host) => listsInstance(host, instance))) return []
    if (names.length > 0) return [lineOf('instance.other_host', claim.host, claim.id, claim.host, textOf(names))]
    if (hosts.some((host) => host?.listsNothing)) return []
    const since = Math.max(claim.askedAt, claim.unlistedAt ?? 0, destination?.unlistedAt ?? 0)
    if (fleet.level < 9 || fleet.now - since < afterMs) return []
    return [lineOf('instance.unlisted', claim.host, claim.id, claim.host, `none since ${new Date(since).toISOString()}`)]
  })
}
