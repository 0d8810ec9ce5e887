import {
  atOnce,
  type Checkpoint,
  type CheckpointHead,
  EndedChunk,
  type Fleet,
  FleetBuilder,
  type FleetReader,
  restoreFleet,
  type StoredEndedKeys,
} from '@gantt/scheduler-core'

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

/** Uses a stored checkpoint: its head, and its parts if the head is not complete. */
export type Collect<Result> = (head: string, parts: AsyncIterable<string>) => Promise<Result>

/** The whole checkpoint. */
export const fromParts: Collect<Checkpoint> = async (head, parts) => {
  const read = readHead(head)
  if (read.whole !== undefined) return read.whole
  const lists: Pick<Mutable<Checkpoint>, List> = { hosts: [], claims: [], keys: [] }
  const endedKeys = await readParts(read.forgottenKeys, parts, (part) => {
    for (const list of LISTS) (lists[list] as unknown[]).push(...(part[list] ?? []))
  })
  return { ...read.head, ...lists, ...(endedKeys !== undefined && { endedKeys }) }
}

/** The fleet of a checkpoint. It is built while the parts are read, so that the checkpoint is never in memory as a whole. */
export const fleetFromParts =
  (reader: FleetReader): Collect<Fleet> =>
  async (head, parts) => {
    const read = readHead(head)
    if (read.whole !== undefined) return restoreFleet(read.whole, reader)
    const builder = new FleetBuilder(read.head, reader)
    const endedKeys = await readParts(read.forgottenKeys, parts, ({ hosts = [], claims = [], keys = [] }) => {
      atOnce(builder.takeHosts(hosts))
      if (claims.length > 0) atOnce(builder.takeClaims(claims))
      builder.takeKeys(keys)
    })
    return atOnce(builder.build(endedKeys))
  }

type ReadHead =
  | { readonly whole: Checkpoint }
  | { readonly whole?: undefined; readonly head: CheckpointHead; readonly forgottenKeys: number | undefined }

function readHead(text: string): ReadHead {
  const whole = JSON.parse(text) as Checkpoint | Head
  if (!('was' in whole)) return { whole }
  const { was, format, forgottenKeys, ...rest } = whole
  if (format !== 'parts-1')
    throw new RangeError(`the checkpoint at revision ${whole.place.revision} has the format ${format}; this release reads parts-1`)
  return { head: { ...rest, format: was }, forgottenKeys }
}

/** Calls `take` with each part that has lists. Returns the ended keys. */
async function readParts(
  forgotten: number | undefined,
  parts: AsyncIterable<string>,
  take: (part: Partial<Pick<Checkpoint, List>>) => void,
): Promise<StoredEndedKeys | undefined> {
  const chunks: EndedChunk[] = []
  for await (const text of parts) {
    const part = JSON.parse(text) as Partial<Pick<Checkpoint, List>> & { readonly endedKeys?: string }
    if (part.endedKeys !== undefined) chunks.push(EndedChunk.from(part.endedKeys))
    else take(part)
  }
  return forgotten === undefined ? undefined : { forgotten, chunks }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Element)[] ? Element[] : T[Key] }
