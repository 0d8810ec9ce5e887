import { type Checkpoint, EndedChunk } from '@gantt/scheduler-core'

/** The lists of a checkpoint that grow with the fleet. */
const LISTS = ['hosts', 'claims', 'keys'] as const
type List = (typeof LISTS)[number]

/** How many elements are in one part. Processing a part takes milliseconds, and the process does other work between two parts. */
const ELEMENTS = 200

/**
 * The first row of a stored checkpoint. The lists are in further rows, the parts. Older releases do not accept this row as a complete
 * checkpoint.
 */
type Head = Omit<Checkpoint, List | 'format' | 'endedKeys'> & {
  readonly format: string
  readonly was: Checkpoint['format']
  readonly forgottenKeys?: number
}

/** A checkpoint as texts of limited size. */
export interface PartedCheckpoint {
  readonly head: string
  readonly count: number
  /** The parts. Each is computed when it is read. */
  parts(): Generator<string>
}

export function toParts(checkpoint: Checkpoint): PartedCheckpoint {
  const { hosts: _hosts, claims: _claims, keys: _keys, endedKeys, format, ...rest } = checkpoint
  const chunks = endedKeys?.chunks ?? []
  const head: Head = { ...rest, format: 'parts-1', was: format, ...(endedKeys !== undefined && { forgottenKeys: endedKeys.forgotten }) }
  return {
    head: JSON.stringify(head),
    count: LISTS.reduce((sum, list) => sum + Math.ceil(checkpoint[list].length / ELEMENTS), chunks.length),
    *parts() {
      for (const list of LISTS)
        for (let first = 0; first < checkpoint[list].length; first += ELEMENTS)
          yield JSON.stringify({ [list]: checkpoint[list].slice(first, first + ELEMENTS) })
      // each chunk is a separate part, because it has a thousand keys
      for (const chunk of chunks) yield JSON.stringify({ endedKeys: chunk })
    },
  }
}

/** Restores a checkpoint from its head, and from its parts if the head is not complete. */
export async function fromParts(head: string, parts: AsyncIterable<string>): Promise<Checkpoint> {
  const whole = JSON.parse(head) as Checkpoint | Head
  if (!('was' in whole)) return whole
  if (whole.format !== 'parts-1')
    throw new RangeError(`the checkpoint at revision ${whole.place.revision} has the format ${whole.format}; this release reads parts-1`)
  const { was, format: _format, forgottenKeys, ...rest } = whole
  const chunks: EndedChunk[] = []
  const lists: Pick<Mutable<Checkpoint>, List> = { hosts: [], claims: [], keys: [] }
  for await (const text of parts) {
    const part = JSON.parse(text) as Partial<Pick<Checkpoint, List>> & { readonly endedKeys?: string }
    if (part.endedKeys !== undefined) chunks.push(EndedChunk.from(part.endedKeys))
    lists.hosts.push(...(part.hosts ?? []))
    lists.claims.push(...(part.claims ?? []))
    lists.keys.push(...(part.keys ?? []))
  }
  return { ...rest, format: was, ...lists, ...(forgottenKeys !== undefined && { endedKeys: { forgotten: forgottenKeys, chunks } }) }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Element)[] ? Element[] : T[Key] }
