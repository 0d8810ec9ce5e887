/**
 * The index of a host in the fleet's columns. Hosts get their indexes in the order of their first reports. A host has the same index on
 * every replica, and indexes are never reused.
 */
export type HostIndex = number & { readonly hostIndex: unique symbol }
