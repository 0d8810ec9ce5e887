import { unpack } from '../../lib/packed.ts'

/** Packed columns of the hosts of one aggregate. */
export interface PackedMembers {
  readonly names: readonly string[]
  readonly dictionaries: readonly { readonly column: string; readonly values: readonly string[] }[]
  readonly columns: readonly { readonly name: string; readonly elementType: 'U8' | 'U16' | 'U32' | 'F64'; readonly data: string }[]
}

/**
 * The states of a member's nodes. A text is one word if all nodes have the same state. Otherwise it has each state with the count of its
 * nodes.
 */
export interface MemberWords {
  readonly state: string
  readonly status: string
  readonly zone: string
}

type Column = 'STATE' | 'STATUS' | 'AZ'

/** Members by the name of the host, without hosts that have never reported. */
export function readMembers(packed: PackedMembers): ReadonlyMap<string, MemberWords> {
  const state = wordsOf(packed, 'STATE')
  const status = wordsOf(packed, 'STATUS')
  const zone = wordsOf(packed, 'AZ')
  const places = new Map<string, number[]>()
  for (const [index, name] of packed.names.entries()) {
    const known = places.get(name)
    if (known === undefined) places.set(name, [index])
    else known.push(index)
  }
  return new Map(
    [...places].map(([name, nodes]) => [
      name,
      { state: inWords(nodes.map(state)).toLowerCase(), status: inWords(nodes.map(status)).toLowerCase(), zone: inWords(nodes.map(zone)) },
    ]),
  )
}

/** Returns a function that reads the text of a column for the host at an index. */
function wordsOf({ dictionaries, columns }: PackedMembers, column: Column): (index: number) => string {
  const words = dictionaries.find((one) => one.column === column)?.values ?? []
  const packed = columns.find(({ name }) => name === column)
  const codes = packed === undefined ? [] : unpack(packed.data, packed.elementType)
  return (index) => words[codes[index] ?? words.length] ?? ''
}

/** `up`, or `up 3, down 1` if the states of nodes differ. */
function inWords(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  if (counts.size === 1) return words[0] ?? ''
  return [...counts].map(([word, count]) => `${word} ${count}`).join(', ')
}
