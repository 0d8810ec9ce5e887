/** A host's position in the columns: its ordinal in the order of first sight. Valid on every replica, never reused. */
export type HostIndex = number & { readonly hostIndex: unique symbol }
