/** Entries as the store returns them, read as plain data without the core's types. */
export interface ModelEntry {
  readonly id: string
  readonly revision: number
  readonly at: number
  readonly basis: { readonly revision: number; readonly id: string; readonly at: number }
  readonly changes: readonly ModelChange[]
}

// biome-ignore lint/suspicious/noExplicitAny: the model reads the log as the JSON that it is
export type ModelChange = Readonly<Record<string, any>>
