/**
 * The rules that depend on the feature level of the fleet. Each entry of a log is judged by the rules of the level at that entry, so that
 * all releases reach the same state. A recorded decision is replayed by the rules of its level. Rules that change what hosts hold take
 * effect with the entry that raises the level: all claims are then counted again.
 */

/** Claims hold their amounts whatever reports contain, and an instance has one live claim. */
export const STRICT_CLAIMS = 8

/** Operators can forget a host, readmit it, or name the host that replaces it. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim continues to hold its amounts only if its host lists the instance and counts no other claim of the instance. It holds
 * nothing if the report has no list. A further attempt cannot use the amounts that the previous one continues to hold.
 */
export const ENDED_CLAIMS = 9

/** A further attempt belongs to the account that owns the instance, even if another account moved its claim. */
export const OWNERS_ATTEMPTS = 9

/** Claims record the time since which the report of their host no longer lists their instance. */
export const UNLISTED_TIMES = 9

/**
 * Nova's CoreFilter, RamFilter and DiskFilter, and their per-aggregate forms, refuse an instance that is larger than the host, whatever the
 * overcommit.
 */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and VM modes are compared by Nova's canonical names, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, the checks that Placement makes before Nova's filters: zones, traits, aggregates, tenants, image types. Under every
 * profile, a request from Nova stays in its cell.
 */
export const PLACEMENT_RULES = 10

/** A host must be in all fields of a request that name hosts. Before, forced and requested hosts were combined. */
export const NAMED_BY_ALL = 10

/**
 * A topology spread counts only the domains with a host that the request admits and that could hold an instance if it were empty. Before,
 * it counted the domains of the whole fleet.
 */
export const ADMITTED_DOMAINS = 10

/** Instances of one request in an affinity group are placed on a host that holds all of them, not only the first. */
export const TOGETHER_AT_ONCE = 10

/** A reason says that an amount is more than the total before it mentions the free amount, because freeing resources would not help. */
export const IN_ALL_BEFORE_FREE = 10

/**
 * A reason says that an amount breaks the unit rules of a class before it mentions the free amount. An amount above the maximum unit may be
 * above the total too.
 */
export const UNITS_BEFORE_FREE = 10

/**
 * Ratios and reserved amounts that operators, aggregates and the import of a nova.conf set count in the capacity that claims are judged by
 * (allocation.ts). Before, only those of the host's report counted.
 */
export const ALLOCATION_RULES = 10

/** Refusals are stored with their cause, and their receipts cover it. */
export const KEPT_CAUSES = 10

/** A host in an option of a filter is found by its present name: an isolated host stays isolated after it was replaced. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity also counts members of a server group that a request lists only by their hosts. */
export const GROUP_HOSTS = 10

/** Hosts of a server group and tried hosts in a document of Nova's are found by their present names. */
export const PRESENT_IN_NOVA = 10

/**
 * Instances are placed near their own volumes and ports if documents report their locations. The profile `default` follows affinity hints.
 */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/** Under `compat: nova`, a host that only the topology spread refuses is checked again for the next instance of the request. */
export const SPREAD_ASKED_AGAIN = 10

/** A reason gives shares of GPUs in percent. Before, in thousandths. */
export const SHARES_IN_PERCENT = 10

/** The cells of a guest are chosen near preferred PCI devices, if that choice fits. */
export const PREFERRED_NEAR = 10

/** A destination of Nova with a null host names no host. Before, it matched no host at all. */
export const NULL_DESTINATIONS = 10

/**
 * The filters that check claims use the codes and units of the filters for vCPUs, memory and disk. Before, they used those of a resource
 * class.
 */
export const USUAL_CLASSES = 10

/** Claimed PCI devices that the report no longer has, or has fewer of, are counted in the most similar pools. */
export const KEPT_DEVICES = 10

/** If devices are not near enough to a guest's cells, the reason names the cells of the free devices. */
export const DEVICES_ELSEWHERE = 10

/** A reason contains the reserved amount of a class if it causes the shortage. */
export const RESERVES_NAMED = 10

/**
 * An instance that requests from its own host no more cells, CPUs, pages, GPUs and PCI devices than it holds there keeps a part of these,
 * however full the host is. It also keeps amounts of classes and pools that the host no longer has. Before, it could only keep amounts that
 * the host has. A further attempt may use the units of the destination that it releases. Before, only its amounts.
 */
export const OWN_UNITS = 10

/**
 * An instance that is resized on its own host gets no more of a class than the reported `maxUnit`, even if that equals the total of the
 * host. A rebuild requests nothing new and keeps what it has, whatever the unit rules are. Before, a maximum that equalled the total was
 * ignored, and a rebuild had to satisfy the unit rules.
 */
export const STATED_MAXIMA = 10

/** Claimed huge pages of a size that no cell of the host has any more are counted in the next size that it has. */
export const KEPT_PAGES = 10

/**
 * Memory of guest cells outside of huge pages, and memory of guests without cells, count together against the memory of the host that is
 * not reserved as huge pages. Before, memory of guest cells counted against its own cell alone. Huge pages in use are subtracted from the
 * memory that a report shows, never from the memory that claims hold.
 */
export const PLAIN_IN_CELLS = 10

/**
 * A claim that replaced another one on its host holds what it added separately until the host's next report, even if the report counts
 * neither claim. If the host is over-full, the auditor does not report the claim for its other amounts. The additions of several such moves
 * since a report are summed. Before, only the addition of the last move was held, and only if the report counts the claim.
 */
export const ADDED_IN_PLACE = 10

/**
 * A claim that ends continues to hold, until the next report of its host, the amounts that no report has counted: what it added in place or
 * all of it if the host lists its instance, and what was added in place if the host reports no list. A report without new use (a delta, or
 * an earlier report under another name of the machine) does not count these amounts. Of several ended claims of an instance only one
 * continues to hold.
 */
export const ENDED_AS_HELD = 10

/**
 * A reservation, and the destination of an open move, materialise with the first report that lists their instance after one that did not.
 * An instance that the host listed before still runs at another size, so the claim counts in addition to the report until it is confirmed.
 * Before, any report that listed the instance materialised them.
 */
export const NEWLY_LISTED = 10

/**
 * An instance that its host lists without a claim gets a claim that is materialised at once. It uses no free capacity beyond the use that
 * the report already counts.
 */
export const LISTED_CLAIMS = 10

/**
 * An edit that changes only the list of an aggregate's hosts affects the hosts that join or leave. Claims on other members that were
 * decided before it count. Before, such an edit affected all members.
 */
export const EDITED_MEMBERS = 10
