import fs from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { gantt } from '../../../../apps/cli/src/testing/gantt.ts'
import { sharedData } from '../../../../testing/shared-folder.ts'
import { findCaseFiles } from './cases.ts'
import { runCases } from './run-cases.ts'
import { differenceOf } from './verdicts.ts'

const recorded = sharedData('conformance/cases')

describe('the recorded verdicts', () => {
  test.skipIf(recorded.isMissing)(`all of them are reproduced${recorded.skipNote}`, () => {
    const failed = runCases(findCaseFiles(recorded.path)).filter((result) => result.failed > 0)
    expect(failed).toEqual([])
  })
})

describe('a folder of cases', () => {
  let folder: string

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(tmpdir(), 'gantt-cases-'))
  })

  afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

  const put = (name: string, ...cases: readonly object[]): void => {
    const text = cases.map((one) => `${JSON.stringify(one)}\n`).join('')
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text)
  }

  const lines = (...text: readonly string[]): string => {
    fs.writeFileSync(path.join(folder, 'a.jsonl'), text.join('\n'))
    return folder
  }

  test('a folder is read with its subfolders and compressed files, and the result has counts and the first difference of each kind', async () => {
    put('deep/io.jsonl.gz', ioOps('io-1', 3, true), ioOps('io-2', 9, true), ioOps('io-3', 9, 'KeyError'))
    put('io.jsonl', ioOps('io-4', 8, false))
    const { code, out } = await gantt({}, 'conformance', folder)
    expect(code).toBe(1)
    expect(out).toContain('filter IoOpsFilter      3 passed      1 failed')
    expect(out).toContain('the first case that differs is io-2, at expected\n  recorded: true\n  ours:     {"code":"io_ops.too_many"')
    expect(out.trimEnd().split('\n').at(-1)).toBe('3 passed, 1 failed')
  })

  test('the command exits with 0 if every case passed', async () => {
    put('io.jsonl', ioOps('io-1', 3, true))
    const { code, out } = await gantt({}, 'conformance', folder, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({ passed: 1, failed: 0, kinds: [{ kind: 'filter IoOpsFilter', passed: 1, failed: 0 }] })
  })

  test('cases of an unknown filter fail with a list of the known filters', () => {
    put('odd.jsonl', { ...ioOps('odd-1', 3, true), filter: 'NoSuchFilter' })
    expect(runCases(findCaseFiles(folder))[0]?.first?.difference.actual).toContain('there is no filter NoSuchFilter')
  })

  test.each([
    ['there is no such folder', () => path.join(folder, 'none'), 'is not a folder'],
    ['the folder has no cases', () => folder, 'has no case files'],
    ['a line is not JSON', () => lines('{"id": "x"'), 'a.jsonl:1 is not JSON'],
    ['a line has no id', () => lines('{"filter": "IoOpsFilter"}'), 'a.jsonl:1 is not a case'],
    ['a case has an unknown kind', () => lines('', '{"id": "x-1"}'), 'case x-1 has an unknown kind'],
  ])('the command exits with 2 when %s', async (_what, prepare, words) => {
    const { code, err } = await gantt({}, 'conformance', prepare())
    expect(code).toBe(2)
    expect(err).toContain(words)
  })
})

test('the first difference is reported with its path, and numbers are compared to the last bit', () => {
  expect(differenceOf({ a: [1, { b: 0.1 + 0.2 }] }, { a: [1, { b: 0.3 }] })).toEqual({ path: 'a.1.b', expected: 0.1 + 0.2, actual: 0.3 })
  expect(differenceOf([1, 2], [1])).toEqual({ path: 'length', expected: 2, actual: 1 })
  expect(differenceOf({ a: null }, {})).toEqual({ path: 'a', expected: null, actual: undefined })
  expect(differenceOf({ a: [] }, { a: [] })).toBeUndefined()
})

const wire = (name: string, version: string, data: object) => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  'nova_object.data': data,
})

const ioOps = (id: string, operations: number, expected: boolean | string) => ({
  id,
  filter: 'IoOpsFilter',
  now: '2026-01-15T12:00:00',
  config: {},
  host: {
    host: 'h1',
    nodename: 'h1',
    compute_node: wire('ComputeNode', '1.19', { free_disk_gb: 1, stats: { io_workload: String(operations) } }),
    service: {},
    aggregates: [],
    instances: [],
  },
  spec: wire('RequestSpec', '1.14', { flavor: wire('Flavor', '1.2', { name: 'm1', vcpus: 1, memory_mb: 1 }) }),
  expected,
})
