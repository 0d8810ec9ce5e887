/** Entries as the store hands them out; read as plain data, so that no type of the core stands in between. */
export interface ModelEntry {
  readonly id: string
  readonly revision: number
  readonly at: number
  readonly basis: { readonly revision: number; readonly id: string; readonly at: number }
  readonly changes: readonly ModelChange[]
}

// biome-ignore lint/suspicious/noExplicitAny: the model reads the log as the JSON that it is
export type ModelChange = Readonly<Record<string, any>>
