export type Column = Float64Array | Int32Array | Uint16Array | Uint8Array

type ColumnType = Float64ArrayConstructor | Int32ArrayConstructor | Uint16ArrayConstructor | Uint8ArrayConstructor

/** For each column, its array type. */
export type TypesOf<Columns> = Readonly<Record<keyof Columns, ColumnType>>

/** A column begins at a multiple of this number of bytes, which is the size of its largest element type. */
const ALIGNMENT_BYTES = 8

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT_BYTES) * ALIGNMENT_BYTES

/**
 * One memory buffer for several columns. A copy of a fleet has many columns, and each allocation outside of V8's heap can start a garbage
 * collection that stops all other work. One allocation for all columns avoids this.
 */
export class ColumnMemory {
  readonly buffer: ArrayBuffer
  #used = 0

  /** `buffer` is memory that is reused. Its contents are overwritten. */
  constructor(bytes: number, buffer = new ArrayBuffer(bytes)) {
    this.buffer = buffer
  }

  /** Returns a new column in this memory. Throws RangeError if not enough memory is left. */
  column(Type: ColumnType, length: number): Column {
    const column = new Type(this.buffer, this.#used, length)
    this.#used += aligned(column.byteLength)
    return column
  }
}

/** Creates columns with the array types in `types` for `size` hosts. All values are 0. */
export function createColumns<Columns extends object>(types: TypesOf<Columns>, size: number): Columns {
  const entries = Object.entries(types) as [keyof Columns, ColumnType][]
  const bytes = entries.reduce((sum, [, { BYTES_PER_ELEMENT }]) => sum + aligned(size * BYTES_PER_ELEMENT), 0)
  const memory = new ColumnMemory(bytes)
  return Object.fromEntries(entries.map(([name, type]) => [name, memory.column(type, size)])) as Columns
}

/** The count of bytes that a copy of the columns needs. */
export const bytesOf = (columns: object): number =>
  Object.values(columns as Record<string, Column>).reduce((sum, { byteLength }) => sum + aligned(byteLength), 0)

/** Copies the columns into `memory`. */
export function copyColumns<Columns extends object>(columns: Columns, memory: ColumnMemory): Columns {
  const copies = Object.entries(columns as Record<string, Column>).map(([name, column]) => {
    const copy = memory.column(column.constructor as ColumnType, column.length)
    copy.set(column)
    return [name, copy]
  })
  return Object.fromEntries(copies) as Columns
}

/** Replaces each column by a copy with space for `size` hosts. */
export function growColumns<Columns extends object>(columns: Columns, size: number): void {
  const types = Object.entries(columns as Record<string, Column>).map(([name, column]) => [name, column.constructor as ColumnType] as const)
  const larger = createColumns<Columns>(Object.fromEntries(types) as TypesOf<Columns>, size)
  for (const [name, column] of Object.entries(larger as Record<string, Column>)) column.set(columns[name as keyof Columns] as Column)
  Object.assign(columns, larger)
}

/** Replaces each column by an empty column, because another table reuses the memory. */
export function emptyColumns(columns: object): void {
  for (const [name, column] of Object.entries(columns as Record<string, Column>))
    (columns as Record<string, Column>)[name] = column.slice(0, 0)
}
