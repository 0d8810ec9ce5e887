/**
 * This file has a constant for each rule that depends on the feature level of the fleet: the lowest level at which the rule applies. Each
 * entry of a log is judged by the rules of the level that the fleet has at this entry. Therefore, all releases reach the same state. A
 * recorded decision is replayed by the rules of its level. If a rule changes which resources claims reserve on hosts, the amounts of all
 * claims are computed again when an entry raises the level.
 */

/** Claims reserve their amounts regardless of the content of reports. An instance can have only one live claim. */
export const STRICT_CLAIMS = 8

/** Operators can forget a host, readmit a forgotten host, and replace a host by another name. */
export const HOSTS_LEAVE = 9

/**
 * An ended claim continues to reserve its amounts only if its host lists the instance and has no other claim of the instance. If the
 * host's report has no list of instances, the ended claim reserves nothing. A further attempt to place an instance cannot use the amounts
 * that its previous attempt still reserves.
 */
export const ENDED_CLAIMS = 9

/**
 * A further attempt to place an instance belongs to the account that owns the instance, even if another account moved the instance's claim.
 */
export const OWNERS_ATTEMPTS = 9

/** A claim records the time since which its host no longer lists its instance. */
export const UNLISTED_TIMES = 9

/**
 * Nova's CoreFilter, RamFilter and DiskFilter, and their per-aggregate forms, refuse an instance that is larger than the host's total, even
 * if overcommit would allow it.
 */
export const NOVA_OVERCOMMIT = 10

/** Architectures, hypervisor types and VM modes are compared by Nova's canonical names, under every profile. */
export const CANONICAL_NAMES = 10

/**
 * Under `compat: nova`, the checks of Nova's Placement service (zones, traits, aggregates, tenants, image types, disabled hosts) run before
 * Nova's filters. Under every profile, a request from Nova stays in its Nova cell.
 */
export const PLACEMENT_RULES = 10

/**
 * If several fields of a request list hosts, a chosen host must be in all these lists. Below this level, it must be in at least one list.
 */
export const NAMED_BY_ALL = 10

/**
 * A topology spread includes only domains with a host that the request admits and that could take an instance if the host were empty. Below
 * this level, it includes the domains of the whole fleet.
 */
export const ADMITTED_DOMAINS = 10

/** Instances of one request in an affinity group are placed on a host on which all of them fit, not only the first. */
export const TOGETHER_AT_ONCE = 10

/** If a needed amount exceeds both the total and the free amount, the reason states the total, because freeing resources would not help. */
export const IN_ALL_BEFORE_FREE = 10

/**
 * If a needed amount violates the unit rules of a class (minUnit, maxUnit, stepSize) and exceeds the free amount, the reason states the
 * unit rules. For an amount above `maxUnit`, this also applies if the amount exceeds the total.
 */
export const UNITS_BEFORE_FREE = 10

/**
 * Claims are judged by the capacity that is computed with the allocation ratios and reserved amounts that operators, aggregates and imports
 * of a nova.conf set. Below this level, they are judged by the ratios and reserved amounts in the host's report.
 */
export const ALLOCATION_RULES = 10

/** Refusals are stored with their cause, and the receipts of refusals (hashes of the decisions) include the cause. */
export const KEPT_CAUSES = 10

/** The options of a filter also apply to a host under its new name. For example, an isolated host stays isolated after it is replaced. */
export const PRESENT_OPTIONS = 10

/** Nova's anti-affinity filter also counts members of a server group for which the request names only the hosts. */
export const GROUP_HOSTS = 10

/** In a document of Nova, the hosts of a server group and the tried hosts are also found under their new names. */
export const PRESENT_IN_NOVA = 10

/**
 * Instances are placed near their own volumes and ports if documents of other services report where the volumes and ports are. The profile
 * `default` follows affinity hints.
 */
export const OWN_AFFINITY = 10

/** The release has a profile with the scheduler `solver`. */
export const SOLVER_PROFILE = 10

/**
 * Under `compat: nova`, a host that only the topology spread refuses for one instance of a request is checked again for the next instance.
 */
export const SPREAD_ASKED_AGAIN = 10

/** Reasons state shares of GPUs in percent. Below this level, reasons state the shares in thousandths. */
export const SHARES_IN_PERCENT = 10

/** The cells of a guest are chosen near PCI devices with the policy `preferred`, if the guest fits there. */
export const PREFERRED_NEAR = 10

/** A requested destination of Nova whose host is null does not restrict the hosts. Below this level, no host matches such a destination. */
export const NULL_DESTINATIONS = 10

/**
 * The filters that check the rules of claims report shortfalls of vCPUs, memory and disk as cpu.short, memory.short and disk.short, with
 * the usual units. Below this level, these filters report such shortfalls as class.short.
 */
export const USUAL_CLASSES = 10

/**
 * If a report has fewer PCI devices in a pool than are claimed, or no longer has the pool, the claimed devices are subtracted from the most
 * similar pools of the report.
 */
export const KEPT_DEVICES = 10

/** If free devices are not near enough to the cells of a guest, the reason names the host cells in which the free devices are. */
export const DEVICES_ELSEWHERE = 10

/** A reason contains the reserved amount of a resource class if the reserved amount causes the shortage. */
export const RESERVES_NAMED = 10

/**
 * An instance that requests no more of its own host than is reserved for it there always fits, even if the host is full. This applies to
 * cells, CPUs, pages, GPUs and PCI devices, and to amounts that the host no longer has. A further attempt to place an instance can use the
 * units of the destination claim that it releases. Below this level, an instance keeps only amounts that the host has, and a further
 * attempt can use only amounts of the released claim, not its units.
 */
export const OWN_UNITS = 10

/**
 * An instance that is resized on its own host gets at most the reported `maxUnit` of a class, even if `maxUnit` equals the total of the
 * host. A rebuild requests nothing new, and the instance keeps its amounts regardless of unit rules. Below this level, a maximum that
 * equals the total is ignored, and a rebuild must satisfy the unit rules.
 */
export const STATED_MAXIMA = 10

/** If a host no longer reports pages of a claimed size, the claimed pages are counted as pages of another size that the host reports. */
export const KEPT_PAGES = 10

/**
 * Plain memory is memory outside of huge pages. The plain memory of guest cells and of guests without cells together must not exceed the
 * plain memory of the host. Huge pages in use are subtracted from the used memory in a report, never from the memory of claims. Below this
 * level, the memory of a guest cell is only limited by the memory of its host cell.
 */
export const PLAIN_IN_CELLS = 10

/**
 * After a move within a host, in which a claim replaces another claim on the same host, the added amount is reserved in addition to the
 * reported use until the host's next report. This applies even if the last report includes neither claim. The additions of several moves
 * after one report are summed. If the use exceeds the host's capacity, the auditor blames the claim only for the addition. Below this
 * level, only the addition of the last move is reserved, and only if the report includes the claim.
 */
export const ADDED_IN_PLACE = 10

/**
 * If no report has included the amounts of an ended claim, these amounts remain reserved until the host's next report. If the host lists
 * the instance, these are all amounts of the claim, or the amount that a move within the host added. If the host's report has no list of
 * instances, these are only the added amount. A report without new usage does not include these amounts: a delta, or an earlier report
 * under another name of the machine. If several claims of an instance have ended, the amounts of only one of these claims remain reserved.
 */
export const ENDED_AS_HELD = 10

/**
 * A reservation or the destination of an open move materialises with the first report that newly lists its instance. If the host listed the
 * instance before, the instance still runs with its former size, so the claim is reserved in addition to the reported use until it is
 * confirmed. Below this level, any report that lists the instance materialises such a claim.
 */
export const NEWLY_LISTED = 10

/**
 * If a host lists an instance without a claim, a claim can be created that is materialised at once. The claim needs no free capacity if the
 * report already includes the usage of the instance.
 */
export const LISTED_CLAIMS = 10

/**
 * An edit that changes only the member list of an aggregate voids claims only on hosts that join or leave the aggregate. Claims on all
 * other members are valid, even if they were decided before the edit. Below this level, such an edit voids claims on all members.
 */
export const EDITED_MEMBERS = 10

/**
 * A report is void if it adds resource classes, and the fleet or the host alone would then have too many (`classExcessOf`). Below this
 * level, the log has no limit of classes.
 */
export const BOUNDED_CLASSES = 10

/**
 * GpuPackingWeigher gives a host with only idle GPUs a score that never rises with the number of its GPUs. Below this level, the score
 * rises again above 17 GPUs.
 */
export const PACKED_IDLE_GPUS = 10

/**
 * Agents report the states of their collectors in the namespace `collectors`. If a filter or weigher reads a namespace that a host's
 * collector does not send, the reason says so.
 */
export const COLLECTOR_STATES = 11

/**
 * A reservation can be made until its host counts the instance: if the host does not list its instances, the reservation also ends when the
 * figures of a report rise by its amounts.
 */
export const COUNTED_RESERVATIONS = 11

/**
 * The limits in an answer about a host that reports in Nova's form are for Nova's own figures, which count reserved amounts as used. Below
 * this level, the limits leave the reserved amounts out, so that Nova's compute service could refuse the last instances.
 */
export const LIMITS_WITH_RESERVES = 11

/**
 * If a call ends a claim that was reserved with `untilCounted` before its reservation would have expired, its amounts stay held until that
 * time, or until the figures of its host rise by them.
 */
export const HELD_RESERVATIONS = 12
