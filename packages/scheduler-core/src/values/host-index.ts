/** A host's position in the columns: its rank in the order in which hosts were first seen. Valid on every replica, never reused. */
export type HostIndex = number & { readonly hostIndex: unique symbol }
