/** One process of a cluster, whether it runs or not. */
export interface Part {
  readonly name: string
  /** The address of the process: a URL, a port, or the folder of a socket. */
  readonly where: string
  readonly log: string
  /** The ports of the loopback that it listens on. */
  readonly ports: readonly number[]
  pid(): number | undefined
  start(): Promise<void>
  stop(): Promise<void>
  /** kill -9. */
  kill(): Promise<void>
}
