import { existsSync } from 'node:fs'
import path from 'node:path'

const PROGRAM = 'nats-server'
/** Debian keeps it where only root looks. */
const SYSTEM_PATH = '/usr/sbin'

/** The error where one is needed and there is none. */
export const INSTALL_NATS_SERVER = 'there is no nats-server; `apt-get install nats-server`'

/** The nats-server program of this machine: NATS_SERVER_PATH, else the first of PATH; undefined when there is none. */
export function findNatsServer(): string | undefined {
  const { NATS_SERVER_PATH, PATH = '' } = process.env
  if (NATS_SERVER_PATH !== undefined) return existsSync(NATS_SERVER_PATH) ? NATS_SERVER_PATH : undefined
  return [...PATH.split(path.delimiter), SYSTEM_PATH].map((folder) => path.join(folder, PROGRAM)).find((file) => existsSync(file))
}
