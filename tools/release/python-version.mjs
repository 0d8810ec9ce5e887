// Gives the Python client the version that the other packages have: in its module, in its list of changes, and in Debian's.
// `npm run bump` runs it after `changeset version`.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../prepare.mjs'

/**
 * The three texts with a version and the date of its release. The heading "Unreleased" of the changes becomes that of the release; without
 * one nothing has changed but the version. The first entry of Debian's changelog is always that of this release: it is UNRELEASED, and who
 * uploads the package completes it.
 */
export function withVersion({ module, changes, changelog }, version, date) {
  const day = date.toISOString().slice(0, 10)
  const first = /^## /m.test(changes) ? changes.search(/^## /m) : changes.length
  const isNoted = changes.startsWith('## Unreleased\n', first)
  const section = isNoted
    ? changes.slice(first).replace('## Unreleased', `## ${version} (${day})`)
    : `## ${version} (${day})\n\n- No changes.\n\n${changes.slice(first)}`
  return {
    module: replaced(module, /^__version__ = ".*"$/m, `__version__ = "${version}"`, 'a line that begins with __version__ ='),
    changes: changes.slice(0, first) + section,
    changelog: replaced(
      replaced(
        changelog,
        /^python-ganttclient \(.*-1\) UNRELEASED;/,
        `python-ganttclient (${version}-1) UNRELEASED;`,
        'an UNRELEASED entry',
      ),
      /^( -- .*> {2}).*$/m,
      `$1${date.toUTCString().replace('GMT', '+0000')}`,
      'a line that begins with " -- "',
    ),
  }
}

function replaced(text, pattern, by, expected) {
  if (!pattern.test(text)) throw new Error(`expected ${expected} in a file of clients/python, found none`)
  return text.replace(pattern, by)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = { module: 'ganttclient/__init__.py', changes: 'CHANGES.md', changelog: 'debian/changelog' }
  const pathOf = (name) => path.join(root, 'clients/python', files[name])
  const { version } = JSON.parse(readFileSync(path.join(root, 'packages/client/package.json'), 'utf8'))
  const texts = Object.fromEntries(Object.keys(files).map((name) => [name, readFileSync(pathOf(name), 'utf8')]))
  for (const [name, text] of Object.entries(withVersion(texts, version, new Date()))) writeFileSync(pathOf(name), text)
}
