// Finds the nats-server for the tests: an installed one, otherwise the one in Debian's package, which is unpacked into a folder of this
// checkout. The package is not installed, because that would start a server on this machine.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from './prepare.mjs'

const PACKAGE = 'nats-server'
const UNPACKED = path.join(root, 'node_modules/.cache', PACKAGE)

/**
 * The program to start; undefined when there is none. Debian installs it in a folder that is only in the PATH of root.
 * @returns {string | undefined}
 */
export function findNatsServer() {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', path.join(UNPACKED, 'usr/sbin')]
  const candidates = [process.env.NATS_SERVER_PATH, ...folders.map((folder) => folder && path.join(folder, PACKAGE))]
  return candidates.find((file) => file && existsSync(file))
}

/** Finds a nats-server, or fetches one if possible. If neither works, the tests that need it are skipped with the reason. */
export function ensureNatsServer() {
  const found = findNatsServer()
  if (found !== undefined) return found
  const folder = mkdtempSync(path.join(tmpdir(), 'gantt-apt-'))
  // By default, apt downloads as a user of its own who cannot write to this folder. The option APT::Sandbox::User makes it download as root.
  const run = (command, args) => spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] }).status === 0
  const download = () => run('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', 'download', PACKAGE])
  try {
    if (!run('apt-get', ['--version'])) return undefined
    process.stderr.write(`Fetching ${PACKAGE} for the tests (apt-get download ${PACKAGE}) ...\n`)
    if (!download() && !(process.getuid?.() === 0 && run('apt-get', ['-qq', 'update']) && download())) return undefined
    const [file] = readdirSync(folder).filter((name) => name.endsWith('.deb'))
    mkdirSync(UNPACKED, { recursive: true })
    return file !== undefined && run('dpkg-deb', ['-x', file, UNPACKED]) ? findNatsServer() : undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
