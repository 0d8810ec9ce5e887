// Collects the licence texts of third-party packages, which must be distributed with every copy of the packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i
/** GraphiQL is copied from this package as whole files, which no source map lists. */
const COPIED = { '@gantt/console': '@graphql-yoga/render-graphiql' }

/** The folders of the packages whose code is in the built files of a package, according to its source maps. */
export function bundledPackages(folder) {
  const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const found = new Set()
  for (const file of filesBelow(path.join(folder, 'dist')).filter((one) => one.endsWith('.map'))) {
    for (const source of JSON.parse(readFileSync(file, 'utf8')).sources) {
      const whole = path.resolve(path.dirname(file), source)
      const [, owner] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(whole) ?? []
      // The map of a bundle within a bundle lists files that do not exist here. The package of the inner bundle contains their licences.
      if (owner !== undefined && existsSync(whole)) found.add(owner)
    }
  }
  if (COPIED[name] !== undefined) found.add(path.resolve(folder, '../../node_modules', COPIED[name]))
  return [...found].sort()
}

/** One text with the licences of these packages, each with its name and version. */
export function licenceTexts(folders) {
  return folders
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
      const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
      const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim())
      const stated = typeof license === 'string' ? `Licence: ${license}` : 'Licence: see the text'
      return [`${name} ${version}`, stated, ...texts].join('\n\n')
    })
    .map((text) => `${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}
