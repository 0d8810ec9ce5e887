/** A host as the API takes it. */
export interface HostNameInput {
  readonly host: string
  readonly node?: string
}

/** A host as commands print it: with its node where that has a name of its own. */
export const printHost = (hostName: string, node: string): string => (node === hostName ? hostName : `${hostName}/${node}`)

/**
 * A host as people type it: HOST, or HOST/NODE, which is how commands print the node of a host with many. Where the node is given by itself,
 * the text is the host's name whole, whatever is in it.
 */
export function toHostName(text: string, node?: string): HostNameInput {
  if (node !== undefined) return { host: text, node }
  const slash = text.indexOf('/')
  return slash <= 0 || slash === text.length - 1 ? { host: text } : { host: text.slice(0, slash), node: text.slice(slash + 1) }
}
