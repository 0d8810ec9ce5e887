/**
 * The rules that depend on the feature level of the fleet. A log is judged by the rules of the level that it had reached at each entry, so
 * that all releases which read the log reach the same state, and a recorded decision is replayed by its own rules. Rules that change what
 * hosts hold take effect with the entry that raises the level: all claims are then held anew.
 */

/** Claims keep their amounts whatever reports say, and an instance has one live claim. */
export const STRICT_CLAIMS = 8

/** Hosts leave: an operator forgets a host, admits it again, or names the host that replaces it. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim continues to hold its amounts only where its host lists the instance and no other claim of that instance is counted there;
 * not where the report has no list. A further attempt gets no room that the previous one continues to hold.
 */
export const ENDED_CLAIMS = 9

/** A further attempt belongs to the account that owns the instance, whoever moved its claim. */
export const OWNERS_ATTEMPTS = 9

/** Claims record the time since which the report of their host no longer lists their instance. */
export const UNLISTED_TIMES = 9

/** Nova's CoreFilter, RamFilter and DiskFilter, and those by aggregates, let no instance overcommit against itself. */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and modes of virtual machines are compared by Nova's names for them, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, the checks that Placement makes before Nova's filters: zones, traits, aggregates, tenants, image types; and under
 * every profile the cell that a request of Nova's stays in.
 */
export const PLACEMENT_RULES = 10

/** A host that a request names in several fields has to be in all of them; before, forced and requested hosts were combined. */
export const NAMED_BY_ALL = 10

/**
 * A topology spread counts the domains of the hosts that the request admits and that could take an instance if they were empty, not those
 * of the whole fleet.
 */
export const ADMITTED_DOMAINS = 10

/** Instances of one request that its server group keeps together look for a host that holds all of them, not only the first. */
export const TOGETHER_AT_ONCE = 10

/**
 * A reason states that an amount is more than the total before it states how much is free, because no release of
 * resources would help.
 */
export const IN_ALL_BEFORE_FREE = 10

/**
 * The same for the unit rules of a class: that an amount breaks them is said before how much is free. An amount beyond a stated maximum may
 * be more than the total too.
 */
export const UNITS_BEFORE_FREE = 10

/**
 * Ratios and reserved amounts that operators, aggregates and the import of a nova.conf set count in the capacity that claims are judged by
 * (allocation.ts): before, only the host's report said them.
 */
export const ALLOCATION_RULES = 10

/** Refusals are kept with their cause, which their receipts cover. */
export const KEPT_CAUSES = 10

/** A host that an option of a filter names is found by its present name: one that is replaced stays isolated. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity counts the members of a server group of which a request names only the hosts. */
export const GROUP_HOSTS = 10

/** Hosts of a server group and tried hosts in a document of Nova's are found by their present names. */
export const PRESENT_IN_NOVA = 10

/**
 * Instances are placed near their own volumes and ports, where documents report their locations; the shipped profile `default` follows
 * affinity hints.
 */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/** Under `compat: nova` a host that only the topology spread refuses is checked again for the next instance of the request. */
export const SPREAD_ASKED_AGAIN = 10

/** A reason gives shares of GPUs in percent; before, in thousandths. */
export const SHARES_IN_PERCENT = 10

/** The cells of a guest are chosen near preferred PCI devices, where such a choice fits. */
export const PREFERRED_NEAR = 10

/** A destination of Nova's whose host is null names no host; before, it matched no host at all. */
export const NULL_DESTINATIONS = 10

/** The filters of claims use the codes and units of the filters for vCPUs, memory and disk, not those of a class. */
export const USUAL_CLASSES = 10

/** Claimed PCI devices that the report no longer has, or has fewer of, are held of the most similar pools. */
export const KEPT_DEVICES = 10

/** Where devices are not near enough to a guest's cells, the reason names the cells of the free devices. */
export const DEVICES_ELSEWHERE = 10

/** A reason states the reserved amount of a class where that causes the shortage. */
export const RESERVES_NAMED = 10

/**
 * An instance that asks its own host for no more cells, CPUs, pages, GPUs and PCI devices than it holds there keeps a part of these,
 * however full the host is; and so much of classes and pools that the host no longer has. Before, only amounts that the host has could be
 * kept. A further attempt may take the units of the destination that it releases; before, only its amounts.
 */
export const OWN_UNITS = 10

/**
 * An instance that is resized on its own host gets no more of a class than a stated `maxUnit`, even if that equals the
 * total of the host; a rebuild, which asks for nothing new, keeps what it has whatever the unit rules are. Before, a
 * stated maximum that equalled the total was ignored, and a rebuild had to satisfy the unit rules.
 */
export const STATED_MAXIMA = 10

/** Claimed huge pages of a size that no cell of the host has any more are held of the next size that it has. */
export const KEPT_PAGES = 10

/**
 * Memory of guest cells outside of huge pages counts against the memory of the host that is not set aside as huge
 * pages, together with the memory of guests without cells. Before, it counted against its own cell alone. Huge pages
 * in use are subtracted from the memory that a report shows, never from what claims hold.
 */
export const PLAIN_IN_CELLS = 10

/**
 * A claim that replaced another one on its host keeps what it added separately until the host's next report, even if
 * the report counts neither claim; if the host is over-full, the auditor does not report the claim for its other
 * amounts. The additions of several such moves since a report are summed. Before, only the addition of the last move
 * was kept, and only if the report counts the claim.
 */
export const ADDED_IN_PLACE = 10

/**
 * A claim that ends continues to hold, until the next report of its host, what no report has counted of it: if the
 * host lists its instance, what it added in place, or all of it; if the host reports no list, what was added in place.
 * A report that does not state a use anew (a delta, or the earlier report of another name of the machine) counts no
 * such amount. Of several ended claims of an instance only one holds its room.
 */
export const ENDED_AS_HELD = 10

/**
 * A reservation, and the destination of an open move, materialise with the first report that lists their instance after one that did not.
 * An instance that the host listed before runs at another size, so that the claim counts in addition to the report until it is confirmed.
 * Before, any report that listed the instance materialised them.
 */
export const NEWLY_LISTED = 10

/**
 * An instance that its host lists and that has no claim gets one that is materialised at once, and takes no room beyond the use that the
 * report counts.
 */
export const LISTED_CLAIMS = 10

/**
 * An edit that changes only the list of an aggregate's hosts concerns the hosts that join or leave: claims that were
 * decided before it on other members count. Before, such an edit marked all members as edited.
 */
export const EDITED_MEMBERS = 10
