// `npm run check:python`: checks and builds the Python client with the tools of Debian, in a temporary copy. As root it installs the
// packages that it needs; otherwise it names those that are missing, and the checks that are skipped for this reason. With `--all` it
// fails instead of skipping a check. `--only a,b` runs only the checks with these names and those that make their input; another argument
// is the folder of another client.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../prepare.mjs'
import { installPackages, missingPackages } from './debian-packages.mjs'
import { importsOf, metadataFaults, overrideFaults, sdistFaults, versionFaults, versionOf, wheelFaults } from './package-faults.mjs'
import { findings, pythonFiles, ruffSettings } from './ruff.mjs'
import { CheckError, expectNone, runChecks } from './run-checks.mjs'

const CLIENT = path.join(root, 'clients/python')
/** Debian's Python, whatever else is installed: the packages of Debian belong to it. */
const PYTHON = '/usr/bin/python3'
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
/** What Python and its tools write into a checkout. */
const WRITTEN = /(^|\/)(__pycache__|build|dist|\.[^/]*_cache|[^/]+\.egg-info)$/
const NAME = 'python-ganttclient'

const FOR_BUILDING = ['python3', 'python3-build', 'python3-setuptools', 'python3-wheel']
const FOR_DEBIAN = ['build-essential', 'debhelper', 'dh-python', 'dpkg-dev', 'pybuild-plugin-pyproject', 'python3-all']

/** A copy of the client in the folder `source` of `work`, where the checks also write. */
function openCopy(work) {
  const source = path.join(work, 'source')
  const dist = path.join(work, 'dist')
  const read = (file) => readFileSync(path.join(source, file), 'utf8')
  return {
    work,
    source,
    dist,
    read,
    version: versionOf(read('ganttclient/__init__.py')),
    sources: filesIn(source),
    /** The built file whose name matches. */
    made: (pattern) => path.join(dist, fileIn(dist, pattern)),
    run: (program, args, { cwd = source, env = {} } = {}) => runProgram(program, args, { cwd, env: { HOME: work, ...env } }),
  }
}

const checksOf = (copy) => [...sourceChecks(copy), ...packageChecks(copy), ...debianChecks(copy)]

function sourceChecks({ work, source, read, version, run }) {
  return [
    {
      name: 'versions',
      run: () => expectNone(versionFaults({ version, changes: read('CHANGES.md'), changelog: read('debian/changelog') })),
    },
    { name: 'ruff', needs: ['python3'], run: () => expectNone(findings(pythonFiles(source), ruffSettings(source, PYTHON))) },
    {
      name: 'mypy',
      needs: ['python3', 'mypy', 'python3-typeshed'],
      run: () => run('/usr/bin/mypy', ['--cache-dir', path.join(work, 'mypy')]),
    },
  ]
}

function packageChecks({ work, dist, read, version, sources, made, run }) {
  return [
    {
      name: 'build',
      needs: FOR_BUILDING,
      run: () => {
        run(PYTHON, ['-m', 'build', '--no-isolation', '--outdir', dist, '.'])
        const wheel = made(/\.whl$/)
        const distribution = path.basename(wheel).split('-').slice(0, 2).join('-')
        const metadata = run(PYTHON, ['-c', PRINT_OF_WHEEL, wheel, `${distribution}.dist-info/METADATA`])
        expectNone([
          ...wheelFaults(run(PYTHON, ['-c', LIST_OF_WHEEL, wheel]).split('\n').slice(0, -1), sources, distribution),
          ...sdistFaults(listOfTarball(run('tar', ['-tzf', made(/\.tar\.gz$/)])), sources),
          ...metadataFaults(metadata, { readme: read('README.md'), version }),
        ])
      },
    },
    {
      name: 'twine',
      needs: ['twine'],
      after: 'build',
      run: () => run('/usr/bin/twine', ['check', '--strict', made(/\.whl$/), made(/\.tar\.gz$/)]),
    },
    {
      name: 'installed wheel',
      needs: ['python3-pip'],
      after: 'build',
      run: () => {
        const target = path.join(work, 'installed')
        run(PYTHON, ['-m', 'pip', ...PIP, '--target', target, made(/\.whl$/)], { cwd: work })
        const program = ['import sys; sys.path.insert(0, sys.argv[1])', ...importsOf(read('README.md')), PRINT_INSTALLED].join('\n')
        const printed = run(PYTHON, ['-I', '-B', '-c', program, target], { cwd: work })
        const expected = `${version} ${path.join(target, 'ganttclient/__init__.py')}\n`
        if (printed !== expected) throw new CheckError(`the installed client is ${printed}expected ${expected}`)
      },
    },
  ]
}

function debianChecks({ work, source, read, version, made, run }) {
  return [
    {
      name: 'Debian package',
      needs: FOR_DEBIAN,
      after: 'build',
      run: () => {
        const debian = path.join(work, 'debian')
        const tree = path.join(debian, `${NAME}-${version}`)
        mkdirSync(tree, { recursive: true })
        cpSync(made(/\.tar\.gz$/), path.join(debian, `${NAME}_${version}.orig.tar.gz`))
        run('tar', ['-xzf', made(/\.tar\.gz$/), '-C', tree, '--strip-components=1'])
        cpSync(path.join(source, 'debian'), path.join(tree, 'debian'), { recursive: true })
        run('dpkg-buildpackage', ['-us', '-uc'], { cwd: tree })
      },
    },
    {
      name: "autopkgtest's tests",
      needs: FOR_DEBIAN,
      after: 'Debian package',
      run: () => {
        const debian = path.join(work, 'debian')
        const unpacked = path.join(work, 'unpacked')
        const scratch = path.join(work, 'scratch')
        mkdirSync(scratch)
        run('dpkg-deb', ['-x', path.join(debian, fileIn(debian, /\.deb$/)), unpacked])
        const packages = path.join(unpacked, 'usr/lib/python3/dist-packages')
        // On a real system the modules of other packages are in the same folder. They are not subject to the rules of this one.
        mkdirSync(path.join(packages, 'foreign'))
        writeFileSync(path.join(packages, 'foreign/long.py'), '\n'.repeat(400))
        const env = { AUTOPKGTEST_TMP: scratch, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' }
        const tree = path.join(debian, `${NAME}-${version}`)
        for (const test of testsOf(read('debian/tests/control'))) run(path.join(tree, 'debian/tests', test), [], { cwd: tree, env })
      },
    },
    {
      name: 'lintian',
      needs: ['lintian'],
      after: 'Debian package',
      run: () => {
        const debian = path.join(work, 'debian')
        const overrides = filesIn(path.join(source, 'debian')).filter((file) => file.endsWith('lintian-overrides'))
        expectNone(overrideFaults(Object.fromEntries(overrides.map((file) => [`debian/${file}`, read(`debian/${file}`)]))))
        const printed = run('lintian', ['--allow-root', '--pedantic', '--display-info', path.join(debian, fileIn(debian, /\.changes$/))])
        // lintian ends with 0 after warnings and remarks, which are refused here too. Lines with N only explain others.
        expectNone(printed.split('\n').filter((line) => /^[A-MO-Z]: /.test(line)))
      },
    },
  ]
}

const PIP = ['--isolated', 'install', '--no-index', '--no-deps', '--no-cache-dir', '--disable-pip-version-check', '--quiet']
const LIST_OF_WHEEL = 'import sys, zipfile; print("\\n".join(zipfile.ZipFile(sys.argv[1]).namelist()))'
const PRINT_OF_WHEEL = 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))'
const PRINT_INSTALLED = 'import ganttclient; print(ganttclient.__version__, ganttclient.__file__)'

/** The names in a tarball without its first folder. */
const listOfTarball = (printed) =>
  printed
    .split('\n')
    .map((name) => name.slice(name.indexOf('/') + 1))
    .filter((name) => name !== '')

const testsOf = (control) => [...control.matchAll(/^Tests: (.*)$/gm)].flatMap(([, names]) => names.split(/[ ,]+/))

/** Runs a program of Debian, with none of the settings of the caller. Returns what it printed; throws with that if it failed. */
function runProgram(program, args, { cwd, env }) {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', PYTHONNOUSERSITE: '1', ...env },
  })
  if (status === 0) return stdout
  throw new CheckError(`${stdout ?? ''}${stderr ?? ''}${program} ${args.join(' ')} ended with ${error?.message ?? signal ?? status}`)
}

function fileIn(folder, pattern) {
  const [file, ...others] = readdirSync(folder).filter((name) => pattern.test(name))
  if (file !== undefined && others.length === 0) return file
  throw new CheckError(`${folder} has ${[file, ...others].join(', ')}: expected one file that matches ${pattern}`)
}

/** The files in a folder, with paths relative to it. */
function filesIn(folder) {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return files.map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
}

/** The checks with these names, and those that make their input, in their order. */
function selected(checks, names) {
  const unknown = names.filter((name) => !checks.some((check) => check.name === name))
  if (unknown.length > 0) throw new Error(`there is no check ${unknown.join(', ')}; there are ${checks.map(({ name }) => name).join(', ')}`)
  const wanted = new Set(names)
  for (const { name, after } of [...checks].reverse()) if (wanted.has(name) && after !== undefined) wanted.add(after)
  return checks.filter(({ name }) => wanted.has(name))
}

/**
 * Runs the checks of the client in a folder: all, or those with the names in `only`. With `mustRunAll`, a check that cannot run is a
 * failure. Returns their counts.
 */
export function checkPython({ folder = CLIENT, only, mustRunAll = false } = {}) {
  const work = mkdtempSync(path.join(tmpdir(), 'gantt-python-'))
  try {
    cpSync(folder, path.join(work, 'source'), { recursive: true, filter: (file) => file === folder || !WRITTEN.test(file) })
    const all = checksOf(openCopy(work))
    const checks = only === undefined ? all : selected(all, only)
    const needed = [...new Set(checks.flatMap(({ needs = [] }) => needs))]
    const why = installPackages(missingPackages(needed))
    const missing = missingPackages(needed)
    return runChecks(checks, { missing, why, mustRunAll, print: (text) => process.stderr.write(text) })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Runs the command with these arguments, and prints the counts, as `npm test` does. */
export async function runCommand(args) {
  const rest = [...args]
  const at = rest.indexOf('--only')
  const [, only] = at === -1 ? [] : rest.splice(at, 2)
  const all = rest.indexOf('--all')
  if (all !== -1) rest.splice(all, 1)
  const { report } = await import('../count-tests.mjs')
  report([checkPython({ folder: rest[0], only: only?.split(','), mustRunAll: all !== -1 })])
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await runCommand(process.argv.slice(2))
