/**
 * The rules that depend on the feature level of the fleet. A log is judged by the rules of the level that it had reached at each
 * entry, so that all releases which read the log come to the same state, and a recorded decision is made again by its own rules.
 * Rules that change what hosts hold take effect with the entry that raises the level: all claims are then held anew.
 */

/** Claims keep their amounts whatever reports say, and an instance has one live claim. */
export const STRICT_CLAIMS = 8

/** Hosts leave: an operator forgets a host, admits it again, or names the host that replaces it. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim goes on to hold what it held only where its host lists the instance, and no other claim of it is counted there: not where
 * the report has no list. A further attempt gets no room that the one before it goes on to hold.
 */
export const ENDED_CLAIMS = 9

/** A further attempt is of the account that the instance belongs to, whoever moved its claim. */
export const OWNERS_ATTEMPTS = 9

/** Claims keep since when the report of their host does not list their instance any more. */
export const UNLISTED_TIMES = 9

/** Nova's CoreFilter, RamFilter and DiskFilter, and those by aggregates, let no instance overcommit against itself. */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and modes of virtual machines are compared by Nova's names for them, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, what Placement decides before any filter of Nova's is asked: zones, traits, aggregates, tenants, image types; and
 * under every profile the cell that a request of Nova's stays in.
 */
export const PLACEMENT_RULES = 10

/** Hosts that a request names in several places are those that all of them name: before, forced and requested ones were taken together. */
export const NAMED_BY_ALL = 10

/** A topology spread counts the domains of the hosts that the request admits and that could take an instance if they were empty, not those of the whole fleet. */
export const ADMITTED_DOMAINS = 10

/** Instances of one request that its server group keeps together look for a host that holds all of them, not only the first. */
export const TOGETHER_AT_ONCE = 10

/** A reason says of an amount that it is more than there is in all, before it says how much is free: no release helps there. */
export const IN_ALL_BEFORE_FREE = 10

/** The same of the unit rules of a class: that an amount breaks them is said before how much is free. An amount beyond a stated largest one may be more than there is in all too. */
export const UNITS_BEFORE_FREE = 10

/**
 * Ratios and reserved amounts that operators, aggregates and the import of a nova.conf set count in the capacity that claims are judged by
 * (allocation.ts): before, only the host's report said them.
 */
export const ALLOCATION_RULES = 10

/** Refusals are kept with their cause, which their receipts cover. */
export const KEPT_CAUSES = 10

/** A host that an option of a filter names is meant by what it is called now: one that is replaced stays isolated. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity counts the members of a server group of which a request names only the hosts. */
export const GROUP_HOSTS = 10

/** Hosts of a server group and tried hosts in a document of Nova's are meant by what they are called now. */
export const PRESENT_IN_NOVA = 10

/** Instances are placed near their own volumes and ports, where documents tell where these are; the shipped profile `default` looks at affinity hints. */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/** Under `compat: nova` a host that only the topology spread refuses is asked about again for the next instance of the request. */
export const SPREAD_ASKED_AGAIN = 10

/** The cells of a guest are chosen near PCI devices that are preferred there, where such a choice fits. */
export const PREFERRED_NEAR = 10

/** A destination of Nova's whose host is null names no host: before, no host was the one that it named. */
export const NULL_DESTINATIONS = 10

/** What every claim has to keep says of vCPUs, memory and disk what the filters of their own say of them: their codes and units, not those of a class. */
export const USUAL_CLASSES = 10

/** PCI devices that claims hold of a sort that the report no longer has, or has fewer of, are held of the pools that are likest to it. */
export const KEPT_DEVICES = 10

/** Where devices are not near enough to a guest's cells, the reason says at which cells those are that are free. */
export const DEVICES_ELSEWHERE = 10

/** A reason says how much of a class a host keeps back, where that is why it has so little. */
export const RESERVES_NAMED = 10

/**
 * An instance that asks its own host for no more cells, CPUs, pages, GPUs and PCI devices than it holds there keeps a part of these, however
 * full the host is; and so much of classes and pools that the host no longer has. Before, only amounts that the host has could be kept.
 * A further attempt may take the units of the destination that it releases; before, only its amounts.
 */
export const OWN_UNITS = 10

/** Huge pages that claims hold of a size that no cell of the host has any more are held of the next size that it has. */
export const KEPT_PAGES = 10

/**
 * Memory of guest cells that is not huge pages counts against what the host sets no huge pages aside of, together with the memory of guests
 * without cells. Before, it counted against its own cell alone. Huge pages in use are taken off the memory that a report shows, never off
 * what claims hold.
 */
export const PLAIN_IN_CELLS = 10

/**
 * A claim that took another's place on its host keeps apart what it added to it until the host's next report, also where the report counts
 * neither: for the rest the auditor does not blame it where the host is over-full. What several such moves added since a report is added up.
 * Before, that was kept only where the report counts it, and of the last move alone.
 */
export const ADDED_IN_PLACE = 10
