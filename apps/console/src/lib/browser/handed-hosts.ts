/**
 * Hosts to be added to the draft of an aggregate, by the aggregate's uuid. They are not in the URL, because thousands of names would not
 * fit.
 */
const handed = new Map<string, readonly string[]>()

const none: readonly string[] = []

/**
 * Passes hosts to the page of an aggregate, which adds them to its draft. If the page is reloaded before it has added the hosts, they are
 * lost.
 */
export const handHosts = (aggregate: string, hosts: readonly string[]): void => void handed.set(aggregate, hosts)

/** The hosts that were passed to an aggregate and are not in its draft yet. */
export const handedHosts = (aggregate: string): readonly string[] => handed.get(aggregate) ?? none

export const takeHosts = (aggregate: string): void => void handed.delete(aggregate)
