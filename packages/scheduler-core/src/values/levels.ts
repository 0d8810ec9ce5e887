/**
 * This file has a constant for each rule that depends on the feature level of the fleet: the level from which on the rule applies. Each
 * entry of a log is judged by the rules of the level at this entry, so that all releases reach the same state. A recorded decision is
 * replayed by the rules of its level. If a rule changes what hosts hold, all claims are counted again when an entry raises the level.
 */

/** Claims hold their amounts regardless of the content of reports. An instance can have only one live claim. */
export const STRICT_CLAIMS = 8

/** Operators can forget a host, readmit a forgotten host, and replace a host by another name. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim continues to hold its amounts only if its host lists the instance and has no other claim of the instance. If the host
 * lists no instances, the ended claim holds nothing. A further attempt to place an instance cannot use the amounts that its previous
 * attempt still holds.
 */
export const ENDED_CLAIMS = 9

/**
 * A further attempt to place an instance belongs to the account that owns the instance, even if another account moved the instance's claim.
 */
export const OWNERS_ATTEMPTS = 9

/** A claim records since when its host no longer lists its instance. */
export const UNLISTED_TIMES = 9

/**
 * Nova's CoreFilter, RamFilter and DiskFilter, and their per-aggregate forms, refuse an instance that is larger than the host's total, even
 * if overcommit would allow it.
 */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and VM modes are compared by Nova's canonical names, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, the checks of Nova's Placement service (zones, traits, aggregates, tenants, image types) run before Nova's filters.
 * Under every profile, a request from Nova stays in its Nova cell.
 */
export const PLACEMENT_RULES = 10

/** If several fields of a request list hosts, a host must be in all of them. Below this level, a host in one of the fields is enough. */
export const NAMED_BY_ALL = 10

/**
 * A topology spread counts only domains with a host that the request admits and that could hold an instance if it were empty. Below this
 * level, it counts the domains of the whole fleet.
 */
export const ADMITTED_DOMAINS = 10

/** Instances of one request in an affinity group are placed on a host on which all of them fit, not only the first. */
export const TOGETHER_AT_ONCE = 10

/** If a needed amount exceeds both the total and the free amount, the reason states the total, because freeing resources would not help. */
export const IN_ALL_BEFORE_FREE = 10

/**
 * If a needed amount violates the unit rules of a class (minUnit, maxUnit, stepSize) and exceeds the free amount, the reason states the
 * unit rules. An amount above `maxUnit` may also exceed the total.
 */
export const UNITS_BEFORE_FREE = 10

/**
 * Claims are judged by the capacity with the ratios and reserved amounts that operators, aggregates and imports of a nova.conf set
 * (allocation.ts). Below this level, they are judged by the ratios and reserved amounts in the host's report.
 */
export const ALLOCATION_RULES = 10

/** Refusals are stored with their cause, and the receipts of refusals include the cause. */
export const KEPT_CAUSES = 10

/** The options of a filter also apply to a host under its new name. For example, an isolated host stays isolated after it is replaced. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity also counts members of a server group of which the request has only the hosts. */
export const GROUP_HOSTS = 10

/** In a document of Nova, the hosts of a server group and the tried hosts are also found under their new names. */
export const PRESENT_IN_NOVA = 10

/**
 * Instances are placed near their own volumes and ports if documents report where these are. The profile `default` follows affinity hints.
 */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/** Under `compat: nova`, a host that only the topology spread refuses is checked again for the next instance of the request. */
export const SPREAD_ASKED_AGAIN = 10

/** Reasons state shares of GPUs in percent. Below this level, they state thousandths. */
export const SHARES_IN_PERCENT = 10

/** The cells of a guest are chosen near PCI devices with the policy `preferred`, if the guest fits there. */
export const PREFERRED_NEAR = 10

/** A requested destination of Nova whose host is null does not restrict the hosts. Below this level, no host matches such a destination. */
export const NULL_DESTINATIONS = 10

/**
 * The filters that check the rules of claims report shortfalls of vCPUs, memory and disk as cpu.short, memory.short and disk.short, with
 * the usual units. Below this level, they report them as class.short.
 */
export const USUAL_CLASSES = 10

/**
 * If a report has fewer PCI devices in a pool than claims hold, or no longer has the pool, the claimed devices are counted in the most
 * similar pools of the report.
 */
export const KEPT_DEVICES = 10

/** If free devices are not near enough to the cells of a guest, the reason names the cells in which the devices are. */
export const DEVICES_ELSEWHERE = 10

/** A reason contains the reserved amount of a class if it causes the shortage. */
export const RESERVES_NAMED = 10

/**
 * An instance that requests no more of its own host than it holds there always fits, even if the host is full. This applies to cells, CPUs,
 * pages, GPUs and PCI devices, and to amounts that the host no longer has. A further attempt to place an instance can use the units of the
 * destination that it releases. Below this level, an instance keeps only amounts that the host has, and a further attempt can use only
 * amounts of the released destination, not its units.
 */
export const OWN_UNITS = 10

/**
 * An instance that is resized on its own host gets at most the reported `maxUnit` of a class, even if `maxUnit` equals the total of the
 * host. A rebuild requests nothing new and keeps its amounts, regardless of unit rules. Below this level, a maximum that equals the total
 * is ignored, and a rebuild must satisfy the unit rules.
 */
export const STATED_MAXIMA = 10

/** If a host no longer reports pages of a claimed size, the claimed pages are counted as pages of another size that the host reports. */
export const KEPT_PAGES = 10

/**
 * Plain memory is memory outside of huge pages. The plain memory of guest cells and of guests without cells together may not exceed the
 * plain memory of the host. Huge pages in use are subtracted from the used memory in a report, never from the memory that claims hold.
 * Below this level, the memory of a guest cell is only limited by the memory of its host cell.
 */
export const PLAIN_IN_CELLS = 10

/**
 * After a move in place (a claim that replaced another claim on the same host), the added amount is held in addition to the report until
 * the host's next report, even if the last report counts neither claim. The additions of several moves after one report are summed. If the
 * host is over-full, the auditor blames the claim only for the addition. Below this level, only the addition of the last move is held, and
 * only if the report counts the claim.
 */
export const ADDED_IN_PLACE = 10

/**
 * Until the host's next report, an ended claim continues to hold the amounts that no report has counted. If the host lists the instance,
 * these are the whole claim, or the amount that a move in place added. If the host lists no instances, these are only the added amount. A
 * report without new usage does not count these amounts (a delta, or an earlier report under another name of the machine). Of several ended
 * claims of an instance, only one continues to hold amounts.
 */
export const ENDED_AS_HELD = 10

/**
 * A reservation or the destination of an open move materialises with the first report that newly lists its instance. If the host listed the
 * instance before, the instance still runs with its former size, so the claim is held in addition to the report until it is confirmed.
 * Below this level, any report that lists the instance materialises such a claim.
 */
export const NEWLY_LISTED = 10

/**
 * If a host lists an instance without a claim, a claim can be created that is materialised at once. The claim needs no free
 * capacity if the report already counts the usage of the instance.
 */
export const LISTED_CLAIMS = 10

/**
 * An edit that changes only the member list of an aggregate voids claims only on hosts that join or leave. Claims on all other members are
 * valid, even if they were decided before the edit. Below this level, such an edit voids claims on all members.
 */
export const EDITED_MEMBERS = 10
