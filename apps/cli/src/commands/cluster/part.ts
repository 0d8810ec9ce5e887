/** One process of a cluster, whether it is running or not. */
export interface Part {
  readonly name: string
  /** The address of the process: a URL, a port, or the folder of a socket. */
  readonly where: string
  readonly log: string
  /** The loopback ports on which it listens. */
  readonly ports: readonly number[]
  pid(): number | undefined
  start(): Promise<void>
  stop(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
}
