/** What a module gets. */
export interface Collecting {
  readonly host: string
  readonly node: string
  readonly namespace: string
  /** The options of the collector's settings. */
  readonly options: Readonly<Record<string, unknown>>
}

/** The document that a module returns, and the version of the namespace's documents. */
export interface Produced {
  readonly version: string
  readonly document: Readonly<Record<string, unknown>>
}

/** The default export of a module that collects data. If it throws, the error's message is in the state of the collector. */
export type Collect = (given: Collecting) => Produced | Promise<Produced>
