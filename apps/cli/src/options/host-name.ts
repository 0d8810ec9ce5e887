/** A host as the API identifies it. */
export interface HostNameInput {
  readonly host: string
  readonly node?: string
}

/** A host as commands print it. The node is added if its name differs from the host's, or if the host has several nodes. */
export const printHost = (hostName: string, node: string, hasOtherNodes = false): string =>
  node === hostName && !hasOtherNodes ? escaped(hostName, IN_HOST) : `${escaped(hostName, IN_HOST)}/${escaped(node, IN_NODE)}`

/**
 * Names of new hosts contain no slash and have no spaces around them (ADR 27), but names of older hosts may have both. Such a character is
 * written as an escape, for example %2F or %20, so that users can type printed names.
 */
const IN_HOST = /^\s+|\s+$|\/|%(?=[\da-f]{2})/gi
const IN_NODE = /^\s+|\s+$|%(?=[\da-f]{2})/gi

const escaped = (name: string, what: RegExp): string => name.replace(what, encodeURIComponent)

const unescaped = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (found) => {
    try {
      return decodeURIComponent(found)
    } catch {
      // the text has no valid escape, so the percent sign is part of the name
      return found
    }
  })

/**
 * Parses a host as people type it: HOST, or HOST/NODE for one node of a host with several nodes. If the node is set by an option, the whole
 * text is the host's name.
 */
export function toHostName(text: string, node?: string): HostNameInput {
  if (node !== undefined) return { host: text, node }
  const slash = text.indexOf('/')
  if (slash <= 0 || slash === text.length - 1) return { host: unescaped(text) }
  return { host: unescaped(text.slice(0, slash)), node: unescaped(text.slice(slash + 1)) }
}
