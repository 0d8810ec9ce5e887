// A Vitest reporter that writes the results for tools/test.mjs to one JSON file, named by GANTT_TEST_SUMMARY: how many tests passed, which
// failed, and which were skipped with which reason. Files that could not be collected and errors outside of any test are counted as
// failures.
import { writeFileSync } from 'node:fs'
import path from 'node:path'

export default class SummaryReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const summary = { passed: 0, failed: [], skipped: [] }
    for (const testModule of testModules) addModule(summary, testModule)
    for (const error of unhandledErrors) summary.failed.push({ name: 'an error outside any test', reason: firstLine(error) })
    writeFileSync(process.env.GANTT_TEST_SUMMARY, JSON.stringify(summary))
  }
}

function addModule(summary, testModule) {
  const file = path.relative(process.cwd(), testModule.moduleId)
  let count = 0
  for (const test of testModule.children.allTests()) {
    count++
    const { state, errors, note } = test.result()
    const name = `${file}: ${test.fullName}`
    if (state === 'passed') summary.passed++
    else if (state === 'failed') summary.failed.push({ name, reason: firstLine(errors?.[0]) })
    else if (state === 'skipped') summary.skipped.push({ name, reason: note ?? reasonIn(test) })
    else summary.failed.push({ name, reason: 'did not finish' })
  }
  const suiteErrors = [...testModule.errors(), ...[...testModule.children.allSuites()].flatMap((suite) => suite.errors())]
  for (const error of suiteErrors) summary.failed.push({ name: file, reason: firstLine(error) })
  if (count === 0 && suiteErrors.length === 0) summary.failed.push({ name: file, reason: 'holds no tests' })
}

function reasonIn(test) {
  const given = /\[skipped: (.+?)\]/.exec(test.fullName)?.[1]
  for (let suite = test.parent; suite.type === 'suite'; suite = suite.parent) if (suite.errors().length > 0) return 'its suite failed'
  return given ?? 'no reason given'
}

function firstLine(error) {
  return String(error?.message ?? error ?? 'unknown').split('\n')[0]
}
