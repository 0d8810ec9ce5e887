/** One process of a cluster, whether it is running or not. */
export interface Part {
  readonly name: string
  /** Where the process can be reached: a URL, a port, or the folder of a socket. */
  readonly where: string
  readonly log: string
  /** The loopback ports on which the process listens. */
  readonly ports: readonly number[]
  /** The process id; undefined if the process does not run. */
  pid(): number | undefined
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}
