/**
 * The rules that depend on the feature level of the fleet. Each entry of a log is judged by the rules of the level at that entry, so that
 * all releases reach the same state. A recorded decision is replayed by the rules of its level. Rules that change what hosts hold take
 * effect with the entry that raises the level: all claims are then counted again.
 */

/** Claims hold their amounts regardless of the content of reports, and an instance has only one live claim. */
export const STRICT_CLAIMS = 8

/** Operators can forget a host, readmit it, or name the host that replaces it. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim continues to hold its amounts only if its host lists the instance and counts no other claim of the instance. If the report
 * has no list, the ended claim holds nothing. A further attempt for an instance cannot use the amounts that the previous attempt continues
 * to hold.
 */
export const ENDED_CLAIMS = 9

/**
 * A further attempt to place an instance belongs to the account that owns the instance, even if another account moved the instance's claim.
 */
export const OWNERS_ATTEMPTS = 9

/** Claims record since when the report of their host no longer lists their instance. */
export const UNLISTED_TIMES = 9

/**
 * Nova's CoreFilter, RamFilter and DiskFilter, and their per-aggregate forms, refuse an instance that is larger than the host's total, even
 * if overcommit would allow it.
 */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and VM modes are compared by Nova's canonical names, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, the checks of Placement (zones, traits, aggregates, tenants, image types) run before Nova's filters. Under every
 * profile, a request from Nova stays in its cell.
 */
export const PLACEMENT_RULES = 10

/** A host must be in all fields of a request that list hosts. Below this level, forced and requested hosts are combined. */
export const NAMED_BY_ALL = 10

/**
 * A topology spread counts only domains with a host that the request admits and that could hold an instance if it were empty. Below this
 * level, it counts the domains of the whole fleet.
 */
export const ADMITTED_DOMAINS = 10

/** Instances of one request in an affinity group are placed on a host on which all of them fit, not only the first. */
export const TOGETHER_AT_ONCE = 10

/** If an amount exceeds both the total and the free amount, the reason states the total, because freeing resources would not help. */
export const IN_ALL_BEFORE_FREE = 10

/**
 * If an amount violates the unit rules of a class and exceeds the free amount, the reason states the unit rules. An amount above the
 * maximum unit may also exceed the total.
 */
export const UNITS_BEFORE_FREE = 10

/**
 * The capacity by which claims are judged uses ratios and reserved amounts that operators, aggregates and imports of a nova.conf set
 * (allocation.ts). Below this level, it uses only the values in the host's report.
 */
export const ALLOCATION_RULES = 10

/** Refusals are stored with their cause, and the receipts of refusals include the cause. */
export const KEPT_CAUSES = 10

/** A host in a filter's option is also found after it was renamed, so an isolated host stays isolated after it is replaced. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity also counts members of a server group that a request lists only by their hosts. */
export const GROUP_HOSTS = 10

/** In a document of Nova, the hosts of a server group and the tried hosts are also found after they were renamed. */
export const PRESENT_IN_NOVA = 10

/**
 * Instances are placed near their own volumes and ports if documents report their locations. The profile `default` follows affinity hints.
 */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/** Under `compat: nova`, a host that is refused only by the topology spread is checked again for the next instance of the request. */
export const SPREAD_ASKED_AGAIN = 10

/** Reasons state shares of GPUs in percent. Below this level, they state thousandths. */
export const SHARES_IN_PERCENT = 10

/** The cells of a guest are chosen near preferred PCI devices, if that choice fits. */
export const PREFERRED_NEAR = 10

/** A destination of Nova whose host is null does not restrict hosts. Below this level, no host matches it. */
export const NULL_DESTINATIONS = 10

/**
 * The filters that check claims state shortfalls of vCPUs, memory and disk with the codes and units of the filters for these resources.
 * Below this level, they use the codes and units of a general resource class.
 */
export const USUAL_CLASSES = 10

/**
 * If the report has fewer PCI devices than are claimed, or no longer has their pool, the claimed devices are counted in the most similar
 * pools.
 */
export const KEPT_DEVICES = 10

/** If devices are not near enough to a guest's cells, the reason names the cells of the free devices. */
export const DEVICES_ELSEWHERE = 10

/** A reason contains the reserved amount of a class if it causes the shortage. */
export const RESERVES_NAMED = 10

/**
 * An instance that requests from its own host at most the cells, CPUs, pages, GPUs and PCI devices that it holds there keeps a part of
 * these, even if the host is full. It also keeps amounts of classes and pools that the host no longer has. A further attempt can use the
 * units of the destination that it releases. Below this level, an instance keeps only amounts that the host has, and a further attempt can
 * use only the amounts of the released destination.
 */
export const OWN_UNITS = 10

/**
 * An instance that is resized on its own host gets at most the reported `maxUnit` of a class, even if `maxUnit` equals the total of the
 * host. A rebuild requests nothing new and keeps its amounts, regardless of unit rules. Below this level, a maximum that equals the total
 * is ignored, and a rebuild must satisfy the unit rules.
 */
export const STATED_MAXIMA = 10

/** If no cell of the host has pages of a claimed size any more, the claimed pages are counted in the next size that the host has. */
export const KEPT_PAGES = 10

/**
 * Memory of guest cells outside of huge pages and memory of guests without cells count together against the host's memory that is not
 * reserved as huge pages. Huge pages in use are subtracted from the memory in a report, never from the memory that claims hold. Below this
 * level, memory of a guest cell counts only against its own host cell.
 */
export const PLAIN_IN_CELLS = 10

/**
 * A claim that replaced another claim on the same host holds the amount that it added separately until the host's next report, even if the
 * report counts neither claim. If the host is over-full, the auditor does not report the claim for its other amounts. The additions of
 * several such moves after one report are summed. Below this level, only the addition of the last move is held, and only if the report
 * counts the claim.
 */
export const ADDED_IN_PLACE = 10

/**
 * Until the host's next report, an ended claim continues to hold the amounts that no report has counted. If the host lists the instance,
 * these are the added amount in place or the whole claim. If the host reports no list, these are only the added amount. A report without
 * new usage (a delta, or an earlier report under another name of the machine) does not count these amounts. Of several ended claims of an
 * instance, only one continues to hold.
 */
export const ENDED_AS_HELD = 10

/**
 * A reservation or the destination of an open move materialises with the first report that newly lists its instance. If the host already
 * listed the instance, the instance still runs with a different size, so the claim counts in addition to the report until it is confirmed.
 * Below this level, any report that lists the instance materialises such claims.
 */
export const NEWLY_LISTED = 10

/**
 * An instance without a claim that its host lists can get a claim that is materialised at once. The claim uses no free capacity beyond the
 * usage that the report already counts.
 */
export const LISTED_CLAIMS = 10

/**
 * An edit that changes only the member list of an aggregate affects only hosts that join or leave. Claims on other members count even if
 * they were decided before the edit. Below this level, such an edit affects all members.
 */
export const EDITED_MEMBERS = 10
