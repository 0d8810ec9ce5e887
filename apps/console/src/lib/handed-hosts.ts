/** Hosts on their way to the draft of an aggregate, by its uuid: an address has no room for thousands of names. */
const handed = new Map<string, readonly string[]>()

const none: readonly string[] = []

/** Hands hosts to the page of an aggregate, which puts them into its draft. A reload before it did forgets them. */
export const handHosts = (aggregate: string, hosts: readonly string[]): void => void handed.set(aggregate, hosts)

/** The hosts that were handed to an aggregate and not taken yet. */
export const handedHosts = (aggregate: string): readonly string[] => handed.get(aggregate) ?? none

export const takeHosts = (aggregate: string): void => void handed.delete(aggregate)
