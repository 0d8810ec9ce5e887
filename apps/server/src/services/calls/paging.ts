import { createHash } from 'node:crypto'
import { InputFault } from './outcome.ts'

export const DEFAULT_PAGE = 50
export const MAX_PAGE = 500

export interface PageArgs {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** A page of a list, with a cursor for every item. */
export interface Page<Item> {
  readonly edges: readonly { readonly cursor: string; readonly node: Item }[]
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  /** The count of all items. It is computed only if it is selected. */
  totalCount(): number | Promise<number>
  /**
   * The cursors at both ends of a page that can have items outside of `edges`, such as unreadable decisions. Each is null for an empty
   * page.
   */
  readonly bounds?: { readonly start: string | null; readonly end: string | null }
  /** The revision at which the page was read, if it comes from the fleet. */
  readonly asOf?: number
}

/** Identifies a list with its filter and order, because a cursor of one list is invalid in another list. */
export interface List {
  readonly name: string
  readonly mark: string
}

type CursorKey = readonly (string | number)[]

/** `by` contains all arguments that determine the items of the list or their order, such as its filter. */
export const listOf = (name: string, by: unknown = null): List => ({
  name,
  mark: createHash('sha256')
    .update(`${name}\u0000${JSON.stringify(by)}`)
    .digest('base64url')
    .slice(0, 8),
})

/** The requested page size. Throws InputFault if it is not 1 to 500. */
export function firstOf(list: List, { first }: PageArgs): number {
  const asked = first ?? DEFAULT_PAGE
  if (!Number.isInteger(asked) || asked < 1 || asked > MAX_PAGE) throw InputFault.at([list.name, 'first'], asked, `1 to ${MAX_PAGE}`)
  return asked
}

export function toCursor({ mark }: List, key: CursorKey): string {
  return Buffer.from(JSON.stringify([1, mark, ...key])).toString('base64url')
}

/** The sort key in the cursor of a call; undefined if the call has no cursor. Throws InputFault for a cursor of another list. */
export function keyOf<Key extends CursorKey>(list: List, { after }: PageArgs, types: readonly ('string' | 'number')[]): Key | undefined {
  if (after === null || after === undefined) return undefined
  const key = after.length <= 2_048 ? read(after) : undefined
  const fits =
    key?.[0] === 1 && key[1] === list.mark && key.length === types.length + 2 && types.every((type, i) => typeof key[i + 2] === type)
  if (!fits) throw InputFault.at([list.name, 'after'], after, 'a cursor of this list, with the same filter and order')
  // the comparison with `types` has just checked the length and the type of each element
  return key.slice(2) as unknown as Key
}

function read(cursor: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A page of a list whose items are all in memory and sorted. `keyFor` returns the sort key of an item, which `isAfter` compares. */
export function pageOf<Item, Key extends CursorKey>(
  list: List,
  args: PageArgs,
  items: readonly Item[],
  { types, keyFor, isAfter }: { types: readonly ('string' | 'number')[]; keyFor(item: Item): Key; isAfter(item: Item, key: Key): boolean },
): Page<Item> {
  const first = firstOf(list, args)
  const key = keyOf<Key>(list, args, types)
  const rest = key === undefined ? items : items.filter((item) => isAfter(item, key))
  return {
    edges: rest.slice(0, first).map((node) => ({ cursor: toCursor(list, keyFor(node)), node })),
    hasNextPage: rest.length > first,
    hasPreviousPage: rest.length < items.length,
    totalCount: () => items.length,
  }
}
