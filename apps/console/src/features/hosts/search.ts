/** How the list is shown. */
export const hostViews = ['split', 'table', 'map'] as const
/** What the map is divided by. */
export const hostGroups = ['az', 'aggregate'] as const
/** What the map's colour tells. */
export const hostColours = ['cpu', 'mem', 'disk'] as const

export type HostView = (typeof hostViews)[number]
export type HostGroup = (typeof hostGroups)[number]
export type HostColour = (typeof hostColours)[number]

/** What the address of the list says behind the question mark; everything else is left out. */
export interface HostsSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
  /** A field of the grammar, with `-` in front for the largest first; the name if not given. */
  readonly sort?: string
  /** split if not given. */
  readonly view?: HostView
  /** az if not given. */
  readonly group?: HostGroup
  /** mem if not given. */
  readonly colour?: HostColour
}

export function readHostsSearch({ q, sort, view, group, colour }: Record<string, unknown>): HostsSearch {
  return {
    ...(typeof q === 'string' && q !== '' ? { q } : {}),
    ...(typeof sort === 'string' && /^-?[a-z.]+$/.test(sort) ? { sort } : {}),
    ...choice('view', hostViews, view),
    ...choice('group', hostGroups, group),
    ...choice('colour', hostColours, colour),
  }
}

/** What the address of one host says. */
export interface HostSearch {
  /** The node, where the host has many. */
  readonly node?: string
}

export function readHostSearch({ node }: Record<string, unknown>): HostSearch {
  return typeof node === 'string' && node !== '' ? { node } : {}
}

function choice<Name extends string, Value extends string>(
  name: Name,
  allowed: readonly Value[],
  value: unknown,
): { readonly [key in Name]?: Value } {
  const found = allowed.find((one) => one === value)
  return found === undefined ? {} : ({ [name]: found } as { readonly [key in Name]?: Value })
}
