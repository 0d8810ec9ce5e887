import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tooLarge } from '../../tools/checks/sizes.mjs'
import { missingPackages } from '../../tools/python/debian-packages.mjs'
import {
  importsOf,
  metadataFaults,
  overrideFaults,
  sdistFaults,
  versionFaults,
  versionOf,
  wheelFaults,
} from '../../tools/python/package-faults.mjs'
import { findings, ruffSettings } from '../../tools/python/ruff.mjs'
import { type Check, CheckError, runChecks } from '../../tools/python/run-checks.mjs'
import { withVersion } from '../../tools/release/python-version.mjs'
import { checkout } from '../testing/follow-page.ts'

// Plants faults into a copy of the Python client, and runs the checks of `npm run check:python` that must find them.

const client = path.join(checkout, 'clients/python')
const MODULE = 'ganttclient/models.py'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'gantt-planted-'))
  await cp(client, folder, { recursive: true })
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The note in the name of a test that needs packages of Debian. Only `npm run check:python` installs them. */
const noteFor = (...packages: string[]) => {
  const missing = missingPackages(packages)
  return missing.length === 0 ? '' : ` [skipped: ${missing.join(', ')} of Debian not installed]`
}
const noRuff = noteFor('python3')
const noMypy = noteFor('python3', 'mypy', 'python3-typeshed')

test.skipIf(noMypy !== '')(`the command names a wrong type and an unused import, and fails${noMypy}`, async () => {
  const text = await readFile(path.join(client, MODULE), 'utf8')
  await writeFile(path.join(folder, MODULE), `${text}\nimport os\n\nCOUNT: int = "one"\n`)
  const { CI, GANTT_TEST_COUNTS, ...env } = process.env
  const args = ['tools/python/check.mjs', '--only', 'versions,ruff,mypy', folder]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8', env })
  expect(stderr).toMatch(/^ganttclient\/models\.py:\d+:8: F401 /m)
  expect(stderr).toMatch(/^ganttclient\/models\.py:\d+: error: Incompatible types in assignment/m)
  expect([status, stdout]).toEqual([1, 'FAILED   ruff  (see above)\nFAILED   mypy  (see above)\n1 passed, 2 failed, 0 skipped\n'])
})

test.skipIf(noRuff !== '')(`ruff finds what the settings of the client refuse${noRuff}`, async () => {
  const settings = ruffSettings(client, '/usr/bin/python3')
  const text = await readFile(path.join(client, MODULE), 'utf8')
  const foundWith = (appended: string, file = MODULE) => findings([{ file, text: text + appended }], settings)
  expect(foundWith('')).toEqual([])
  expect(foundWith('\nimport os\n')).toContainEqual(expect.stringMatching(/^ganttclient\/models\.py:\d+:8: F401 /))
  expect(foundWith(`\n# ${'x'.repeat(78)}\n`)).toEqual([expect.stringMatching(/:80: E501 /)])
  expect(foundWith('\nmatch 1:\n    case 1:\n        pass\n')).toEqual([expect.stringContaining('Python 3.9')])
  expect(foundWith('\n\nONE = 2  -  1\n')).toEqual([expect.stringContaining("not in ruff's format")])
  // Tests need no docstrings: the setting per-file-ignores, which the library does not know.
  const undocumented = '\n\ndef one():\n    return 1\n'
  expect(foundWith(undocumented)).toEqual([expect.stringMatching(/ D103 /)])
  expect(foundWith(undocumented, 'tests/test_models.py')).toEqual([])
})

test('a Python file has at most 300 lines', () => {
  const named = (lines: number) => tooLarge([{ file: 'clients/python/ganttclient/long.py', text: 'x = 1\n'.repeat(lines) }])
  expect(named(301)).toContainEqual(expect.stringMatching(/^clients\/python\/ganttclient\/long\.py has 301 lines, at most 300 /))
  expect(named(300)).not.toContainEqual(expect.stringContaining('long.py'))
})

const NEVER_THERE = 'python3-gantt-never-packaged'

test('a package that Debian does not have is missing', () => {
  expect(missingPackages([NEVER_THERE])).toEqual([NEVER_THERE])
})

const passes = { run: () => undefined }
const CHECKS: readonly Check[] = [
  { name: 'build', needs: ['a', 'b'], ...passes },
  { name: 'twine', needs: ['c'], after: 'build', ...passes },
  { name: 'versions', ...passes },
]

/** The outcome of checks, and what was printed. */
function outcomeOf(checks: readonly Check[], missing: readonly string[], mustRunAll = false) {
  const printed: string[] = []
  const print = (text: string) => void printed.push(text)
  return { ...runChecks(checks, { missing, why: 'only root may install them', mustRunAll, print }), printed: printed.join('') }
}

test('a check whose packages are missing is skipped with their names, and so is a check of what it makes', () => {
  const { passed, failed, skipped, printed } = outcomeOf(CHECKS, ['b'])
  expect({ passed, failed, skipped }).toEqual({
    passed: 1,
    failed: [],
    skipped: [
      { name: 'build', reason: 'needs b of Debian; only root may install them' },
      { name: 'twine', reason: 'needs what the check "build" makes, which was not passed' },
    ],
  })
  expect(printed).toContain('skipped  build: needs b of Debian; only root may install them\n')
})

test('where all checks must run, a missing package is a failure', () => {
  const { failed, skipped } = outcomeOf(CHECKS, ['c'], true)
  expect({ failed: failed.map(({ name }) => name), skipped }).toEqual({ failed: ['twine'], skipped: [] })
})

test('a check that fails prints what it found, and a mistake in a check prints its place', () => {
  const found = () => {
    throw new CheckError('the wheel lacks py.typed')
  }
  const mistake = () => {
    throw new TypeError('a mistake')
  }
  const { passed, failed, printed } = outcomeOf([...CHECKS, { name: 'x', run: found }, { name: 'y', run: mistake }], [])
  expect([passed, failed.map(({ name }) => name)]).toEqual([3, ['x', 'y']])
  expect(printed).toMatch(/^the wheel lacks py\.typed\nFAILED {3}x {2}/m)
  expect(printed).toMatch(/^TypeError: a mistake\n {4}at mistake /m)
})

const SOURCES = ['README.md', 'debian/control', 'ganttclient/__init__.py', 'ganttclient/py.typed']
const METADATA = 'Metadata-Version: 2.1\nVersion: 1.2.3\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n# A client\n'
const TEXTS = { readme: '# A client\n', version: '1.2.3' }

test.each<[string, readonly string[], readonly string[]]>([
  [
    'a wheel without the marker of its types, and with a test',
    wheelFaults(
      [
        'ganttclient/__init__.py',
        'tests/a.py',
        ...['LICENSE', 'NOTICE', 'METADATA', 'WHEEL', 'RECORD', 'top_level.txt'].map((name) => `d-1.dist-info/${name}`),
      ],
      SOURCES,
      'd-1',
    ),
    ['the wheel lacks ganttclient/py.typed', 'the wheel has tests/a.py, which does not belong there'],
  ],
  [
    'a source distribution with the folder debian, and without the README',
    sdistFaults(['PKG-INFO', 'setup.cfg', 'x.egg-info/PKG-INFO', 'debian/control', 'ganttclient/', ...SOURCES.slice(2)], SOURCES),
    ['the source distribution lacks README.md', 'the source distribution has debian/control, which does not belong there'],
  ],
  ['metadata that is right', metadataFaults(METADATA, TEXTS), []],
  [
    'metadata of another version, with a dependency and another description',
    metadataFaults(METADATA.replace('1.2.3', '1.2.4\nRequires-Dist: attrs').replace('# A', '# The'), TEXTS),
    [
      'the metadata lacks the line "Version: 1.2.3"',
      'the metadata has "Requires-Dist: attrs": the client needs only the standard library',
      'the description in the metadata is not README.md',
    ],
  ],
  [
    'lists of changes of another version',
    versionFaults({
      version: '1.2.3',
      changes: '# Changes\n\n## 1.2.2 (2026-01-01)\n',
      changelog: 'python-ganttclient (1.2.2-1) unstable\n',
    }),
    [
      'CHANGES.md begins with "1.2.2 (2026-01-01)": expected "Unreleased", or "1.2.3 (DATE)"',
      'debian/changelog begins with version 1.2.2-1: expected 1.2.3-1',
    ],
  ],
  [
    'an override without a reason',
    overrideFaults({ 'debian/source/lintian-overrides': '# A reason.\nfirst\n\nsecond\n' }),
    ['debian/source/lintian-overrides: "second" has no reason: write it as a comment on the line above'],
  ],
])('%s', (_name, faults, expected) => {
  expect(faults).toEqual(expected)
})

test('the import lines of the README and the version of the module are found', async () => {
  expect(importsOf(await readFile(path.join(client, 'README.md'), 'utf8'))).toEqual([
    'from ganttclient import Client',
    'from ganttclient import SchedulerClient',
  ])
  const { version } = JSON.parse(await readFile(path.join(checkout, 'packages/client/package.json'), 'utf8'))
  expect(versionOf(await readFile(path.join(client, 'ganttclient/__init__.py'), 'utf8'))).toBe(version)
})

test('a release gives its version to the module and to both lists of changes', async () => {
  const read = (file: string) => readFile(path.join(client, file), 'utf8')
  const texts = {
    module: await read('ganttclient/__init__.py'),
    changes: await read('CHANGES.md'),
    changelog: await read('debian/changelog'),
  }
  const released = withVersion({ ...texts, changes: '# Changes\n\n## Unreleased\n\n- One.\n' }, '7.8.9', new Date('2027-02-03T04:05:06Z'))
  expect(versionOf(released.module)).toBe('7.8.9')
  expect(released.changes).toBe('# Changes\n\n## 7.8.9 (2027-02-03)\n\n- One.\n')
  expect(released.changelog).toMatch(/^python-ganttclient \(7\.8\.9-1\) UNRELEASED;/)
  expect(released.changelog).toContain('>  Wed, 03 Feb 2027 04:05:06 +0000\n')
  expect(versionFaults({ ...released, version: '7.8.9' })).toEqual([])
  const next = withVersion(released, '8.0.0', new Date('2027-03-04T00:00:00Z'))
  expect(next.changes).toBe('# Changes\n\n## 8.0.0 (2027-03-04)\n\n- No changes.\n\n## 7.8.9 (2027-02-03)\n\n- One.\n')
  expect(versionFaults({ ...next, version: '8.0.0' })).toEqual([])
})
