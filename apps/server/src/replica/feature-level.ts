/** A change needs a higher feature level than a living replica reads: raising the log's level would stop that replica. */
export class FeatureLevelError extends Error {
  override readonly name = 'FeatureLevelError'
  /** The replica that reads less. */
  readonly replica: string
  readonly reads: number
  readonly needs: number

  constructor(replica: string, reads: number, needs: number) {
    super(
      `the change needs feature level ${needs}, and replica ${replica} reads up to level ${reads}; nothing was done: upgrade that replica, or stop it, first`,
    )
    this.replica = replica
    this.reads = reads
    this.needs = needs
  }
}
