// `npm run pack`: makes the tarballs that others install with npm, one for each package, in `dist/packages` or the given folder. A tarball
// has the built files and, for a library, its types; it has no sources, no tests and no source maps. packages/proofs has no tarball,
// because proofs are run from a checkout. Entry points of other packages that only proofs use are left out too.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { installedDependencies } from '../package-doors.mjs'
import { root } from '../prepare.mjs'
import { writeDeclarations } from './declarations.mjs'
import { bundledPackages, licenceTexts } from './licence-texts.mjs'

const PACKAGES = [
  { folder: 'packages/client', isLibrary: true },
  { folder: 'packages/scheduler-core', isLibrary: true },
  { folder: 'apps/agent', isLibrary: true },
  { folder: 'apps/console' },
  { folder: 'apps/server', others: ['prisma/migrations'] },
  { folder: 'apps/cli' },
]

const FOR_PROOFS = './for-proofs'
/** The files of dist that users of an installed package do not need. */
const UNUSED = /\.map(\.br|\.gz)?$|\/dist\/for-proofs\.js$/

/** Makes the tarballs. Returns them in an order in which each tarball needs only earlier tarballs. */
export async function pack(target = path.join(root, 'dist', 'packages')) {
  mkdirSync(target, { recursive: true })
  const tarballs = []
  for (const described of PACKAGES) {
    const staged = mkdtempSync(path.join(tmpdir(), 'gantt-pack-'))
    try {
      await stagePackage(described, staged)
      tarballs.push(packFolder(staged, target))
    } finally {
      rmSync(staged, { recursive: true, force: true })
    }
  }
  return tarballs
}

async function stagePackage({ folder, isLibrary = false, others = [] }, staged) {
  const source = path.join(root, folder)
  const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  cpSync(path.join(source, 'dist'), path.join(staged, 'dist'), { recursive: true, filter: (file) => !UNUSED.test(file) })
  if (isLibrary) await writeDeclarations(source, path.join(staged, 'dist'))
  for (const other of others) cpSync(path.join(root, other), path.join(staged, other), { recursive: true })
  for (const name of ['LICENSE', 'NOTICE']) cpSync(path.join(root, name), path.join(staged, name))
  for (const name of ['README.md', 'CHANGELOG.md']) cpSync(path.join(source, name), path.join(staged, name))
  const bundled = bundledPackages(source)
  if (bundled.length > 0) writeFileSync(path.join(staged, 'THIRD-PARTY-LICENSES'), licenceTexts(bundled))
  writeFileSync(path.join(staged, 'package.json'), `${JSON.stringify(publishedManifest(manifest, isLibrary), null, 2)}\n`)
}

/** The parts of a package.json for users of the package, without those for building, checking and testing. */
function publishedManifest(manifest, isLibrary) {
  const { name, version, license, description, type, sideEffects, bin, optionalDependencies } = manifest
  const { engines } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const doors = Object.entries(manifest.exports).filter(([door]) => door !== FOR_PROOFS)
  const exports = doors.map(([door, { default: built }]) => [door, publishedDoor(built, isLibrary)])
  return {
    ...{ name, version, license, description, type, sideEffects, engines },
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    ...(bin && { bin: Object.fromEntries(Object.keys(bin).map((command) => [command, './dist/main.js'])) }),
    dependencies: installedDependencies(manifest),
    optionalDependencies,
  }
}

function publishedDoor(built, isLibrary) {
  return isLibrary ? { types: built.replace(/\.js$/, '.d.ts'), default: built } : built
}

function packFolder(folder, target) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target]
  const npm = process.env.npm_execpath
  const [program, fixed] = npm !== undefined && existsSync(npm) ? [process.execPath, [npm]] : ['npm', []]
  const { status, stdout, stderr, error } = spawnSync(program, [...fixed, ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack failed in ${folder}: ${error?.message ?? stderr}`)
  const [made] = Object.values(JSON.parse(stdout))
  return path.join(target, made.filename)
}
