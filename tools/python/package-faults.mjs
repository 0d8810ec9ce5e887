// What the packages of the Python client must contain. Each function returns what is wrong, as sentences.

/** The version that a module states as `__version__`. */
export const versionOf = (module) => /^__version__ = "(.*)"$/m.exec(module)?.[1]

/** The files of a wheel against those of the sources. */
export function wheelFaults(names, sources, distribution) {
  const modules = sources.filter((file) => file.startsWith('ganttclient/'))
  const described = ['LICENSE', 'NOTICE', 'METADATA', 'WHEEL', 'RECORD', 'top_level.txt'].map((name) => `${distribution}.dist-info/${name}`)
  return differences('the wheel', names, [...modules, ...described])
}

/**
 * Compares the files of a source distribution, without its first folder, with the files of the sources. A source distribution does not
 * contain the folder debian.
 */
export function sdistFaults(names, sources) {
  const made = new Set(['PKG-INFO', 'setup.cfg'])
  const files = names.filter((name) => !made.has(name) && !name.endsWith('/') && !/^[^/]+\.egg-info\//.test(name))
  const expected = sources.filter((file) => !file.startsWith('debian/'))
  return differences('the source distribution', files, expected)
}

function differences(what, found, expected) {
  return [
    ...expected.filter((name) => !found.includes(name)).map((name) => `${what} lacks ${name}`),
    ...found.filter((name) => !expected.includes(name)).map((name) => `${what} has ${name}, which does not belong there`),
  ]
}

/** METADATA (or PKG-INFO): a header with the version, and the README as the description. */
export function metadataFaults(metadata, { readme, version }) {
  const end = metadata.indexOf('\n\n')
  const header = metadata.slice(0, end).split('\n')
  const description = metadata.slice(end + 2).trim()
  const expected = [`Version: ${version}`, 'Requires-Python: >=3.9', 'Description-Content-Type: text/markdown']
  return [
    ...expected.filter((line) => !header.includes(line)).map((line) => `the metadata lacks the line "${line}"`),
    ...header
      .filter((line) => line.startsWith('Requires-Dist:'))
      .map((line) => `the metadata has "${line}": the client needs only the standard library`),
    ...(description === readme.trim() ? [] : ['the description in the metadata is not README.md']),
  ]
}

/** The version of the module in the two lists of changes. */
export function versionFaults({ version, changes, changelog }) {
  const [, heading] = /^## (.*)$/m.exec(changes) ?? []
  const [, packaged] = /^python-ganttclient \(([^)]*)-1\) /.exec(changelog) ?? []
  return [
    ...(heading === 'Unreleased' || heading?.startsWith(`${version} `)
      ? []
      : [`CHANGES.md begins with "${heading}": expected "Unreleased", or "${version} (DATE)"`]),
    ...(packaged === version ? [] : [`debian/changelog begins with version ${packaged}-1: expected ${version}-1`]),
  ]
}

/** The overrides of lintian that have no comment directly above. `texts` has the text of each file. */
export function overrideFaults(texts) {
  return Object.entries(texts).flatMap(([file, text]) => {
    const lines = text.split('\n')
    return lines
      .filter((line, i) => line.trim() !== '' && !line.startsWith('#') && !lines[i - 1]?.startsWith('#'))
      .map((line) => `${file}: "${line}" has no reason: write it as a comment on the line above`)
  })
}

/** The import lines of the programs of a page. */
export function importsOf(page) {
  const programs = [...page.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(([, program]) => program)
  return programs.flatMap((program) => program.split('\n').filter((line) => /^(from|import) /.test(line)))
}
