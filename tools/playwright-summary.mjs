// A Playwright reporter that writes the results for tools/test.mjs to one JSON file, named by GANTT_TEST_SUMMARY: how many tests passed,
// which failed, and which were skipped with which reason. Errors outside of any test are counted as failures.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'

export default class SummaryReporter {
  #errors = []
  #suite

  onBegin(_config, suite) {
    this.#suite = suite
  }

  onError(error) {
    this.#errors.push({ name: 'an error outside any browser test', reason: firstLine(error) })
  }

  onEnd() {
    const summary = { passed: 0, failed: [...this.#errors], skipped: [] }
    for (const test of this.#suite?.allTests() ?? []) addTest(summary, test)
    writeFileSync(process.env.GANTT_TEST_SUMMARY, JSON.stringify(summary))
  }

  printsToStdio() {
    return false
  }
}

function addTest(summary, test) {
  const [, project, , ...titles] = test.titlePath()
  const name = `${path.relative(process.cwd(), test.location.file)} (${project}): ${titles.join(' > ')}`
  const result = test.results.at(-1)
  if (test.outcome() === 'expected') summary.passed++
  else if (test.outcome() !== 'skipped') summary.failed.push({ name, reason: firstLine(result?.error) })
  else if (test.expectedStatus === 'skipped') summary.skipped.push({ name, reason: reasonOf(test) })
  else summary.failed.push({ name, reason: 'did not run' })
}

function reasonOf(test) {
  return test.annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason given'
}

function firstLine(error) {
  return stripVTControlCharacters(String(error?.message ?? error?.value ?? 'unknown')).split('\n')[0]
}
