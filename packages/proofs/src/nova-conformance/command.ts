import { JSON_OPTION, note, withExamples } from '@gantt/cli/for-proofs'
import type { Command } from 'commander'
import { CaseFileError, findCaseFiles } from './cases.ts'
import { type KindResult, runCases } from './run-cases.ts'

/** `gantt conformance DIR`: compares recorded verdicts of the real Nova with those of this service. */
export function addConformance(program: Command): void {
  const command = program
    .command('conformance')
    .description('compare recorded verdicts of the real Nova with those of this service')
    .argument('<folder>', 'folder with *.jsonl and *.jsonl.gz files; subfolders are searched too')
    .option(...JSON_OPTION)
    .action((folder: string, { json }: { json?: true }) => {
      try {
        report(runCases(findCaseFiles(folder)), json === true)
      } catch (error) {
        if (!(error instanceof CaseFileError)) throw error
        note(`error: ${error.message}`)
        process.exitCode = 2
      }
    })
  withExamples(command, [['gantt conformance ./cases', 'every file of the folder, kind by kind']])
}

function report(results: readonly KindResult[], asJson: boolean): void {
  const sum = (field: 'passed' | 'failed') => results.reduce((total, result) => total + result[field], 0)
  const [passed, failed] = [sum('passed'), sum('failed')]
  if (failed > 0) process.exitCode = 1
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ passed, failed, kinds: results })}\n`)
    return
  }
  const width = Math.max(...results.map(({ kind }) => kind.length))
  for (const { kind, passed: good, failed: bad } of results)
    process.stdout.write(`${kind.padEnd(width)}  ${String(good).padStart(5)} passed  ${String(bad).padStart(5)} failed\n`)
  for (const { kind, first } of results) if (first !== undefined) process.stdout.write(`\n${explain(kind, first)}\n`)
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
}

function explain(kind: string, { id, difference: { path, expected, actual } }: NonNullable<KindResult['first']>): string {
  return [
    `${kind}: the first case that differs is ${id}${path === '' ? '' : `, at ${path}`}`,
    `  recorded: ${shorten(expected)}`,
    `  ours:     ${shorten(actual)}`,
  ].join('\n')
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 400 ? `${text.slice(0, 397)}...` : text
}
