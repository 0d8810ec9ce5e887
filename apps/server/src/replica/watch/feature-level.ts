/** The error for a change whose feature level a living replica does not support. Raising the log's level would stop that replica. */
export class FeatureLevelError extends Error {
  override readonly name = 'FeatureLevelError'
  /** The replica that does not support the feature level. */
  readonly replica: string
  readonly reads: number
  readonly needs: number

  constructor(replica: string, reads: number, needs: number) {
    super(
      `the change needs feature level ${needs}, and replica ${replica} reads up to level ${reads}; nothing was changed. First upgrade that replica, start it without GANTT_FEATURE_LEVEL if this setting limits its level, or stop it`,
    )
    this.replica = replica
    this.reads = reads
    this.needs = needs
  }
}

/** Throws if a replica does not support changes of a feature level yet. */
export type MayRaise = (level: number) => Promise<void>

/** Allows changes of a feature level: at once if the log already has this level, otherwise after a check that every replica supports it. */
export const onceReadable = <Outcome>(
  level: number,
  { featureLevel }: { readonly featureLevel: number },
  mayRaise: MayRaise | undefined,
  letIn: () => Promise<Outcome>,
): Promise<Outcome> => (level <= featureLevel || mayRaise === undefined ? letIn() : mayRaise(level).then(letIn))
