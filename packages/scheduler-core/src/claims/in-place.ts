import { classValue } from '../hosts/classes/sparse-columns.ts'
import type { HostRecord, HostTable } from '../hosts/hosts.ts'
import { allKinds, takesDifference } from '../kinds/index.ts'
import type { Grants } from '../records/change.ts'
import type { Claim, OwnClaim } from '../records/claim.ts'
import { STRICT_CLAIMS } from '../values/levels.ts'

/**
 * Functions for moves within one host. They compute the grants that a move adds to those of the source claim, and the `extra` grants: the
 * added grants that no report has included.
 */

/**
 * Returns true if a move stays on its host and reserves only the difference between the new and the old grants. If cells, CPUs or devices
 * change, both the old and the new grants are reserved in full.
 */
export const growsInPlace = (hosts: HostTable, source: Pick<Claim, 'host' | 'grants'>, host: number, next: Grants): boolean =>
  source.host === host && takesDifference(hosts, source.grants, next)

/**
 * Returns the `extra` grants of a claim after a move within its host. These are the grants that the host's report does not include, also
 * those that earlier moves added.
 */
export const addedBy = ({ extra, grants }: Claim, source: Claim): Grants | null =>
  extra === null || source.extra === null
    ? extra
    : { ...unitsOf(grants, source.extra), ...surplusOf(grants, withoutExtra(source.grants, source.extra)) }

/** Identifies the first claim that added to the `extra` grants of the source claim. Null if the source claim has no `extra` grants. */
export const firstAddedTo = ({ extra, extraSince, createdAt, fence }: Claim): Claim['extraSince'] =>
  extra === null ? null : (extraSince ?? { createdAt, fence })

/** Sets the `extra` grants of a claim. `since` is the earlier claim that first had a part of these grants, if there is one. */
export function setExtra(claim: OwnClaim, extra: Grants | null, since: Claim['extraSince'] = null): void {
  claim.extra = extra
  claim.extraSince = extra === null ? null : since
}

/** Returns the grants, or null if they contain no amount above 0 and no unit. */
export function nullIfEmpty(grants: Grants): Grants | null {
  const hasUnits = Object.keys(unitsOf(grants, grants)).length > 0
  const amounts = [...Object.values(grants.classes ?? {}), ...Object.values(grants.pools ?? {})]
  return hasUnits || amounts.some((amount) => amount > 0) ? grants : null
}

/** Returns the units in `grants` of the kinds for which `others` also has units. */
const unitsOf = (grants: Grants, others: Grants): Grants =>
  Object.fromEntries(
    allKinds.flatMap(({ name, isPlain: isAmount }) =>
      isAmount !== true && others[name] !== undefined && grants[name] !== undefined ? [[name, grants[name]]] : [],
    ),
  )

/** The amounts by which `next` exceeds `now`, by class and by pool. */
export function surplusOf(next: Grants, now: Grants): Grants {
  const classes = beyond(next.classes, now.classes)
  return next.pools === undefined ? { classes } : { classes, pools: beyond(next.pools, now.pools) }
}

const beyond = (next: Readonly<Record<string, number>> = {}, now: Readonly<Record<string, number>> = {}) =>
  Object.fromEntries(
    Object.entries(next)
      .map(([name, amount]) => [name, amount - (now[name] ?? 0)] as const)
      .filter(([, amount]) => amount > 0),
  )

/** Grants minus `extra`: amounts are subtracted, and the units of a kind are omitted if `extra` contains this kind. */
export function withoutExtra(grants: Grants, extra: Grants): Grants {
  const units = allKinds.filter(({ name, isPlain: isAmount }) => isAmount !== true && extra[name] === undefined).map(({ name }) => name)
  const less = (amounts: Readonly<Record<string, number>>, by: Readonly<Record<string, number>> = {}) =>
    Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount - (by[name] ?? 0)]))
  return {
    ...Object.fromEntries(units.flatMap((name) => (grants[name] === undefined ? [] : [[name, grants[name]]]))),
    ...(grants.classes !== undefined && { classes: less(grants.classes, extra.classes) }),
    ...(grants.pools !== undefined && { pools: less(grants.pools, extra.pools) }),
  }
}

/**
 * The part of these grants that the host's report includes: the units, and the amounts of classes whose use is reported. Null if there are
 * no such units and amounts.
 */
export function countedBy(hosts: HostTable, { index }: HostRecord, grants: Grants | null): Grants | null {
  const counted = Object.entries(grants?.classes ?? {}).filter(
    ([resourceClass]) => classValue(hosts.classes.get(resourceClass), 'countsUse', index) === 1,
  )
  const units = grants === null ? {} : unitsOf(grants, grants)
  return counted.length === 0 && Object.keys(units).length === 0 ? null : { ...units, classes: Object.fromEntries(counted) }
}

/** The grants that a report includes if it lists the claim's instance: all grants without `extra`. */
export const countedGrants = (hosts: HostTable, { grants, extra }: Claim): Grants =>
  extra === null || hosts.featureLevel < STRICT_CLAIMS ? grants : withoutExtra(grants, extra)
