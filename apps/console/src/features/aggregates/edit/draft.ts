/** The state of an aggregate, now or at the beginning of a draft. */
export interface AggregateState {
  readonly name: string
  readonly version: number
  readonly metadata: readonly { readonly key: string; readonly value: string }[]
  readonly hostNames: readonly string[]
}

/** An operator's edit. It stores only the changes, so that applying it keeps the changes that other operators made in the meantime. */
export interface Draft {
  /** The state that the draft was made from. */
  readonly base: AggregateState
  readonly name: string
  readonly addHosts: readonly string[]
  readonly removeHosts: readonly string[]
  readonly setMetadata: Readonly<Record<string, string>>
  readonly unsetMetadata: readonly string[]
}

export interface UpdateInput {
  name?: string
  addHosts?: string[]
  removeHosts?: string[]
  setMetadata?: { key: string; value: string }[]
  unsetMetadata?: string[]
}

export const beginDraft = (base: AggregateState): Draft => ({
  base,
  name: base.name,
  addHosts: [],
  removeHosts: [],
  setMetadata: {},
  unsetMetadata: [],
})

/** Parses a pasted list of names, separated by spaces, tabs, lines, commas or semicolons. Repeated names are dropped. */
export const parseNames = (text: string): string[] => [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ''))]

/** Parses `key=value` lines. Lines without `=`, or with nothing before it, are returned in `wrong`. */
export function parsePairs(text: string): { readonly pairs: Readonly<Record<string, string>>; readonly wrong: readonly string[] } {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const wrong = lines.filter((line) => line.indexOf('=') < 1)
  const right = lines.filter((line) => line.indexOf('=') >= 1)
  return {
    pairs: Object.fromEntries(right.map((line) => [line.slice(0, line.indexOf('=')).trim(), line.slice(line.indexOf('=') + 1).trim()])),
    wrong,
  }
}

/** The input of the mutation. It has only the fields that differ from the base of the draft. */
export function toUpdateInput({ base, name, addHosts, removeHosts, setMetadata, unsetMetadata }: Draft): UpdateInput {
  const members = new Set(base.hostNames)
  const known = new Map(base.metadata.map(({ key, value }) => [key, value]))
  const added = addHosts.filter((host) => !members.has(host))
  const removed = removeHosts.filter((host) => members.has(host))
  const set = Object.entries(setMetadata).filter(([key, value]) => known.get(key) !== value)
  const unset = unsetMetadata.filter((key) => known.has(key) && !(key in setMetadata))
  return {
    ...(name !== base.name ? { name } : {}),
    ...(added.length > 0 ? { addHosts: added } : {}),
    ...(removed.length > 0 ? { removeHosts: removed } : {}),
    ...(set.length > 0 ? { setMetadata: set.map(([key, value]) => ({ key, value })) } : {}),
    ...(unset.length > 0 ? { unsetMetadata: unset } : {}),
  }
}

export const changesNothing = (draft: Draft): boolean => Object.keys(toUpdateInput(draft)).length === 0

export interface DiffLine {
  readonly sign: '+' | '-' | '~'
  readonly text: string
}

/** A draft as lines of text, for the review before it is applied. */
export function diffOf(draft: Draft): DiffLine[] {
  const { name, addHosts = [], removeHosts = [], setMetadata = [], unsetMetadata = [] } = toUpdateInput(draft)
  const known = new Map(draft.base.metadata.map(({ key, value }) => [key, value]))
  return [
    ...(name === undefined ? [] : [{ sign: '~' as const, text: `name: ${draft.base.name} → ${name}` }]),
    ...unsetMetadata.map((key) => ({ sign: '-' as const, text: `${key}=${known.get(key)}` })),
    ...setMetadata.map(({ key, value }) =>
      known.has(key)
        ? { sign: '~' as const, text: `${key}: ${known.get(key)} → ${value}` }
        : { sign: '+' as const, text: `${key}=${value}` },
    ),
    ...removeHosts.map((host) => ({ sign: '-' as const, text: `host ${host}` })),
    ...addHosts.map((host) => ({ sign: '+' as const, text: `host ${host}` })),
  ]
}

/** The smallest draft that turns the state `base` into the state `wanted`. */
export function draftTo(base: AggregateState, wanted: Omit<AggregateState, 'version'>): Draft {
  const members = new Set(base.hostNames)
  const stay = new Set(wanted.hostNames)
  const keys = new Set(wanted.metadata.map(({ key }) => key))
  const known = new Map(base.metadata.map(({ key, value }) => [key, value]))
  return {
    base,
    name: wanted.name,
    addHosts: wanted.hostNames.filter((host) => !members.has(host)),
    removeHosts: base.hostNames.filter((host) => !stay.has(host)),
    setMetadata: Object.fromEntries(wanted.metadata.flatMap(({ key, value }) => (known.get(key) === value ? [] : [[key, value]]))),
    unsetMetadata: base.metadata.map(({ key }) => key).filter((key) => !keys.has(key)),
  }
}

/** The changes of other operators since the draft was begun. */
export const changesBetween = (base: AggregateState, current: AggregateState): DiffLine[] => diffOf(draftTo(base, current))

/** Bases the edits of a draft on the present state. If the draft does not edit the name, it gets the present name. */
export const rebase = (draft: Draft, current: AggregateState): Draft => ({
  ...draft,
  base: current,
  name: draft.name === draft.base.name ? current.name : draft.name,
})

/** The draft, changed so that these hosts become members. If the draft removes one of them from the aggregate, the removal is dropped. */
export function withHosts(draft: Draft, hosts: readonly string[]): Draft {
  const wanted = new Set(hosts)
  return {
    ...draft,
    addHosts: [...new Set([...draft.addHosts, ...hosts])],
    removeHosts: draft.removeHosts.filter((host) => !wanted.has(host)),
  }
}

/** Parses a stored draft. Undefined if the text is not a draft. */
export function readDraft(text: string | null): Draft | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return isDraft(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false
  const { base, name, addHosts, removeHosts, setMetadata, unsetMetadata } = value as Partial<Draft>
  return (
    typeof base?.version === 'number' &&
    Array.isArray(base.hostNames) &&
    Array.isArray(base.metadata) &&
    typeof name === 'string' &&
    [addHosts, removeHosts, unsetMetadata].every(Array.isArray) &&
    typeof setMetadata === 'object'
  )
}
