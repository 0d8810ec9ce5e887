/**
 * The index of a host in the columns. Indexes are assigned in the order in which hosts first report. They are equal on every replica and
 * never reused.
 */
export type HostIndex = number & { readonly hostIndex: unique symbol }
