/** The list that an operator came from, for the previous and the next host on a host's own page. */
export interface ListedHost {
  readonly host: string
  readonly node: string
}

let present: { readonly length: number; at(index: number): ListedHost } | undefined

/** The host that was looked at last: the cursor of the list is there for who comes back. */
let opened: ListedHost | undefined

export const lastOpened = (): ListedHost | undefined => opened

export function rememberOpened(host: ListedHost): void {
  opened = host
}

/** Remembers a list without copying it: `at` reads its rows when they are asked for. */
export function rememberList(length: number, at: (index: number) => ListedHost): void {
  present = { length, at }
}

/** The host so many places after one in the list it came from; undefined at its ends and where there is no list. */
export function neighbourOf(host: string, node: string, step: 1 | -1): ListedHost | undefined {
  if (present === undefined) return undefined
  for (let i = 0; i < present.length; i++) {
    const one = present.at(i)
    if (one.host !== host || one.node !== node) continue
    const next = i + step
    return next >= 0 && next < present.length ? present.at(next) : undefined
  }
  return undefined
}
