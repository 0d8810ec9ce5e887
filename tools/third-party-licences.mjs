// Writes docs/third-party-licences.md from package-lock.json: every package of others that an installed Gantt has, with its licence.
// Packages that only developing and testing needs are left out. `--check` writes nothing, and fails where the list is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const target = path.join(root, 'docs/third-party-licences.md')
const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))

/** Licences that only the text in the package says. */
const STATED_BY_TEXT = { 'seq-queue': 'MIT' }

/** name -> versions and licences, of what is installed without development. */
const rows = new Map()
for (const [place, { version, license: stated, dev, link }] of Object.entries(packages)) {
  if (!place.includes('node_modules/') || link || dev) continue
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const license = stated ?? STATED_BY_TEXT[name]
  if (license === undefined) throw new Error(`package-lock.json has no licence of ${name}: look it up in the package, and add it here`)
  const key = `${name} ${version}`
  rows.set(key, `| ${name} | ${version} | ${license} |`)
}
const byLicence = new Map()
for (const row of rows.values()) {
  const licence = row.split(' | ').at(-1)?.replace(' |', '') ?? ''
  byLicence.set(licence, (byLicence.get(licence) ?? 0) + 1)
}
const counts = [...byLicence].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${count} ${licence}`)
const text = `# Licences of others

What an installed Gantt has of others, made by \`node tools/third-party-licences.mjs\` from the lock file. The text of each licence is in the package itself. ${rows.size} packages: ${counts.join(', ')}.

| package | version | licence |
|---|---|---|
${[...rows.values()].sort().join('\n')}
`
if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  process.stderr.write('docs/third-party-licences.md is out of date; run: node tools/third-party-licences.mjs\n')
  process.exitCode = 1
}
