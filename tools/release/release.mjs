// `npm run release`: makes one tarball with everything that a machine needs except Node: command, service, console, migrations, PostgreSQL
// and solver. It is for the platform on which it is made, and is written to `dist` or the given folder. It consists of the packages of `npm
// run pack` and of the packages in node_modules that package-lock.json names, so nothing is downloaded.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { root } from '../prepare.mjs'
import { installedPlaces, isOwn, nameOf } from './installed-packages.mjs'
import { bundledPackages, licenceTexts } from './licence-texts.mjs'
import { pack } from './pack.mjs'

/** The files that only developers need: types and their sources, source maps, documents. Licences are kept. */
const UNUSED = /\.(map|[cm]?ts|tsx|flow)$|(?<!licen[cs]e|notice|copying)\.(md|markdown)$/i

const COMMAND = '@gantt/cli/dist/main.js'

export async function release(target = path.join(root, 'dist')) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'apps/cli/package.json'), 'utf8'))
  const name = `gantt-${version}-${process.platform}-${process.arch}`
  const work = mkdtempSync(path.join(tmpdir(), 'gantt-release-'))
  try {
    const folder = path.join(work, name)
    const modules = path.join(folder, 'lib', 'node_modules')
    mkdirSync(modules, { recursive: true })
    for (const tarball of await pack(path.join(work, 'packages'))) unpackPackage(tarball, modules)
    const folders = installedPlaces({ isBuilt: true })
    for (const packageFolder of folders.filter((one) => !isOwn(one))) copyPackage(packageFolder, path.join(folder, 'lib'))
    mkdirSync(path.join(folder, 'bin'))
    chmodSync(path.join(modules, COMMAND), 0o755)
    symlinkSync(path.join('../lib/node_modules', COMMAND), path.join(folder, 'bin', 'gantt'))
    for (const file of ['LICENSE', 'NOTICE']) cpSync(path.join(root, file), path.join(folder, file))
    cpSync(path.join(root, 'docs/install.md'), path.join(folder, 'README.md'))
    for (const name of ['docs', 'examples', 'clients/python']) copyPages(name, folder)
    // All packages have the same version, so one changelog is enough.
    cpSync(path.join(root, 'apps/cli/CHANGELOG.md'), path.join(folder, 'CHANGELOG.md'))
    writeFileSync(path.join(folder, 'THIRD-PARTY-LICENSES'), licenceTexts(withLicences(folders)))
    mkdirSync(target, { recursive: true })
    const tarball = path.join(target, `${name}.tar.gz`)
    run('tar', ['-czf', tarball, '-C', work, name])
    return tarball
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function unpackPackage(tarball, modules) {
  const unpacked = mkdtempSync(path.join(modules, '.unpacked-'))
  run('tar', ['-xzf', tarball, '-C', unpacked])
  const folder = path.join(unpacked, 'package')
  const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  cpSync(folder, path.join(modules, name), { recursive: true, filter: (file) => !file.endsWith('.d.ts') })
  rmSync(unpacked, { recursive: true })
}

/** Copies the documents with their images, the examples, and the client for Python, without their tests and what is made of them. */
function copyPages(name, folder) {
  const isTest = (file) =>
    /\.test\.ts$|\.egg-info$/.test(file) ||
    ['testing', 'tests', 'node_modules', '__pycache__', 'build', 'dist'].includes(path.basename(file))
  cpSync(path.join(root, name), path.join(folder, name), { recursive: true, filter: (file) => !isTest(file) })
}

/**
 * Copies a package. If the checkout has the package in the folder of a package of this repository, the copy is also placed inside that
 * package.
 */
function copyPackage(packageFolder, lib) {
  const source = path.join(root, packageFolder)
  // Packages for other platforms are not installed, so they are left out.
  if (!existsSync(source)) return
  const [owner, inside] = packageFolder.startsWith('node_modules/') ? ['', packageFolder] : packageFolder.split(/\/(?=node_modules\/)(.*)/)
  const target = owner === '' ? inside : path.join('node_modules', ownName(owner), inside)
  cpSync(source, path.join(lib, target), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => file === source || (path.basename(file) !== 'node_modules' && !UNUSED.test(file)),
  })
}

/** The folders of all packages in the tarball, including those that are bundled into packages of this repository, each once. */
function withLicences(folders) {
  const bundled = folders.filter(isOwn).flatMap((folder) => bundledPackages(path.join(root, folder)))
  const installed = folders.filter((folder) => !isOwn(folder)).map((folder) => path.join(root, folder))
  return [...new Set([...installed, ...bundled])].filter(existsSync).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

const ownName = (folder) => JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')).name

function run(program, args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr}`)
}
