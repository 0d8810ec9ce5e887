import { expect, test } from 'vitest'
import { type MetricsSource, metricsText } from './metrics.ts'

const INTRO = `# Metrics

Generated from \`apps/server/src/http/metrics.ts\` by \`npm run docs:reference\`; a test fails where this page and the code differ.

\`GET /metrics\` answers in the text format of Prometheus, version 0.0.4, for keys of the scope READ that are bound to no project and no host. Everything is read from memory. Times are in seconds, sizes in bytes. What to watch and why is in [Figures of reliability](reliability.md).

| metric | type | labels | meaning |
|---|---|---|---|
`

/** Values with one item each, so that every metric has a sample. */
const source: MetricsSource = {
  health: { release: '1.2.3', version: '1', replica: 'r1', mode: 'NORMAL', revision: 1, featureLevel: 1, ageMs: 1, flushMs: 1 },
  auditor: {
    ...{ counts: new Map([['state.over_capacity', 1]]), violations: 0, warnings: 0, ageMs: 1, rounds: 1, compared: 1, decisionsChecked: 3 },
    clean: { since: 1, looks: 1, rounds: 1 },
  },
  proposals: { counted: 1, unlogged: 1, fruitless: new Map([['append.refused', 1]]), refused: new Map([['memory.short', 1]]) },
  collectors: {
    states: [{ collector: 'power', value: 'SENDING', hosts: 1 }],
    errors: [{ collector: 'power', value: 'TIME_LIMIT', hosts: 1 }],
  },
  ...{ hosts: 1, warnings: new Map([['report.unlisted', 1]]), aggregates: 1, claims: 1, pause: { wallMs: 1, cpuMs: 1 } },
}

/** The rows of the page: each metric with its type, the names of its labels, and its help. */
function rowsOf(text: string): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, i) => {
    const [, name, help] = /^# HELP (\w+) (.*)$/.exec(line) ?? []
    if (name === undefined) return []
    const [, type = ''] = /^# TYPE \w+ (\w+)$/.exec(lines[i + 1] ?? '') ?? []
    const sample = lines.find((one) => one.startsWith(`${name}{`)) ?? ''
    const labels = [...sample.matchAll(/[{,](\w+)="/g)].map(([, label]) => `\`${label}\``).join(', ')
    return [`| \`${name}\` | ${type} | ${labels} | ${help} |`]
  })
}

test('docs/metrics.md has every metric (npm run docs:reference writes it)', async () => {
  const rows = rowsOf(metricsText(source))
  expect(rows.length).toBeGreaterThan(20)
  await expect(`${INTRO}${rows.join('\n')}\n`).toMatchFileSnapshot('../../../../docs/metrics.md')
})
