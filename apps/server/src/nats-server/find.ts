import { existsSync } from 'node:fs'
import path from 'node:path'

const PROGRAM = 'nats-server'
/** Debian installs the program in a folder that is only in root's PATH. */
const SYSTEM_PATH = '/usr/sbin'

/** The error message if a nats-server is needed and not installed. */
export const INSTALL_NATS_SERVER = 'there is no nats-server; `apt-get install nats-server`'

/** The nats-server program of this machine: NATS_SERVER_PATH, otherwise the first one in PATH; undefined if there is none. */
export function findNatsServer(): string | undefined {
  const { NATS_SERVER_PATH, PATH = '' } = process.env
  if (NATS_SERVER_PATH !== undefined) return existsSync(NATS_SERVER_PATH) ? NATS_SERVER_PATH : undefined
  return [...PATH.split(path.delimiter), SYSTEM_PATH].map((folder) => path.join(folder, PROGRAM)).find((file) => existsSync(file))
}
