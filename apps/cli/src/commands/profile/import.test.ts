import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gantt, oneLine, widthOf } from '../../testing/gantt.ts'

let folder: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-conf-'))
})

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

function aFile(text: string): string {
  const file = path.join(folder, 'nova.conf')
  fs.writeFileSync(file, text)
  return file
}

const importing = (text: string, ...flags: readonly string[]) => gantt({}, 'profile', 'import', aFile(text), ...flags)

const OLD = `[DEFAULT]
my_ip = 10.0.0.11
scheduler_default_filters = RetryFilter, RamFilter, ComputeFilter, ServerGroupAntiAffinityFilter, AggregateImagePropertiesIsolation
aggregate_image_properties_isolation_namespace = a-namespace-of-properties-that-is-rather-long-as-names-go
scheduler_max_attempts = many
ram_weight_multiplier = -1
[metrics]
weight_setting = cpu.percent=-1.0,cpu.user.percent=0.25,cpu.kernel.percent=0.125
`

test('a dry run shows what is in the profile and what is missing, in 80 columns, and prints the document', async () => {
  const { out, err, code } = await importing(OLD, '--dry-run', '--release', 'juno')
  expect([err, code]).toEqual(['', 0])
  expect(widthOf(out.slice(0, out.indexOf('The profile')))).toBeLessThanOrEqual(80)
  expect(out).toMatch(
    /^Read as Nova juno\.\nChecked before the filters: traits, requested destinations\.\n\nFILTER +OPTIONS\nRetryFilter +-\n/,
  )
  expect(out).toMatch(/\nRAMWeigher +-1 +-\n/)
  expect(out).toMatch(/\n +5 +refused +\[DEFAULT\] scheduler_max_attempts is "many"; it must be a whole\n +number of 1 to 100; /)
  expect(out).toContain('\nIgnored: 1 option without effect on the choice of hosts.\n')
  expect(out).toContain('\nThe profile nova-conf\n{\n  "filters": [\n    {\n      "name": "RetryFilter",\n')
  expect(out).toMatch(/\nNothing was written\.\n$/)
})

test('--json contains the document, the differences from the file with their lines, and the settings without effect', async () => {
  const output = oneLine(await importing(OLD, '--dry-run', '--json', '--name', 'site', '--note', 'ours'))
  expect(output).toMatchObject({
    release: 'newton',
    guessed: true,
    name: 'site',
    dryRun: true,
    created: null,
    input: {
      compat: 'NOVA',
      note: 'ours',
      hostSubsetSize: 1,
      nova: { maxAttempts: 3 },
      filters: [{ name: 'RetryFilter' }, {}, {}, {}, {}],
    },
    findings: [
      { kind: 'note', line: 3, subject: 'AvailabilityZoneFilter' },
      { kind: 'refused', line: 5, subject: '[DEFAULT] scheduler_max_attempts' },
    ],
    elsewhere: [{ section: 'DEFAULT', option: 'my_ip', line: 2 }],
  })
})

const CUSTOM = '[filter_scheduler]\nenabled_filters = ComputeFilter, GoldFilter\n'

test('for a filter that cannot be mapped, the command exits with 1 and writes nothing; with --partial the filter is left out', async () => {
  const { out, code } = await importing(CUSTOM, '--dry-run')
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/ +2 +not mapped +GoldFilter is no filter of Nova's\n[\s\S]*Nothing was written, because/),
  ])
  const partly = await importing(CUSTOM, '--dry-run', '--partial', '--json')
  expect([partly.code, oneLine(partly)]).toEqual([
    0,
    expect.objectContaining({ input: expect.objectContaining({ filters: [{ name: 'ComputeFilter', options: {} }] }) }),
  ])
})

test.each([
  ['a file that does not exist', ['profile', 'import', '/nowhere/nova.conf'], '/nowhere/nova.conf cannot be read'],
  ['a folder', ['profile', 'import', '/'], 'cannot be read'],
  ['an unknown release', ['profile', 'import', 'nova.conf', '--release', 'diablo'], 'It must be one of juno, kilo'],
])('%s exits with 2 and a message', async (_what, args, message) => {
  expect(await gantt({}, ...args)).toEqual({ out: '', err: expect.stringContaining(message), code: 2 })
})

test('the error names the lines of a file that Nova would refuse', async () => {
  const { err, code } = await importing('[a]\nno assignment\n b', '--dry-run')
  expect([code, err]).toEqual([2, expect.stringMatching(/is not a valid oslo.config file:\n {2}line 2: .*\n {2}line 3: /)])
})
