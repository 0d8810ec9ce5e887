import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sharedData } from '../../../../../testing/shared-folder.ts'
import { codes } from '../../text/codes.ts'
import type { Reason } from '../../text/reason.ts'
import { readNovaRequest } from '../objects/request.ts'
import type { NovaFilter } from '../parts/nova-filter.ts'
import { optionsOf } from '../parts/options.ts'
import { readHostCase, timeOf } from '../testing/host-case.ts'
import { NovaError } from '../text/nova-error.ts'
import { novaFilters } from './index.ts'

/** The results of Nova's own filters, recorded in one file for each filter. */
const recorded = sharedData('conformance/cases/filters')
const files = recorded.isMissing ? ['every filter'] : readdirSync(recorded.path)

const caseSchema = z.object({
  id: z.string(),
  now: z.string(),
  config: z.record(z.string(), z.unknown()),
  host: z.unknown(),
  spec: z.unknown(),
  expected: z.union([z.boolean(), z.string()]),
})

describe.skipIf(recorded.isMissing)(`verdicts of Nova 26.2.2${recorded.skipNote}`, () => {
  test.each(files)('%s', (file) => {
    const filter = novaFilters.find(({ name }) => file === `${name}.jsonl.gz`)
    if (filter === undefined) throw new Error(`no filter has the name of the file ${file}`)
    const cases = gunzipSync(readFileSync(path.join(recorded.path, file)))
      .toString('utf8')
      .trim()
      .split('\n')
    const differing = cases.map((line) => caseSchema.parse(JSON.parse(line))).flatMap((one) => differenceOf(filter, one))
    expect(differing).toEqual([])
  })
})

/** The differences between this filter's result and the recorded result of Nova, and the fields that the refusal lacks. */
function differenceOf(filter: NovaFilter, { id, now, config, host, spec, expected }: z.output<typeof caseSchema>): readonly string[] {
  let refusal: Reason | undefined
  try {
    const { request } = readNovaRequest(spec)
    refusal = filter.prepare(request, optionsOf(filter, config), { now: timeOf(now) ?? 0 })?.(readHostCase(host))
  } catch (error) {
    if (!(error instanceof NovaError)) throw error
    return error.kind === expected ? [] : [`${id}: expected ${expected}, raised ${error.kind}: ${error.message}`]
  }
  const found = refusal === undefined
  if (found !== expected) return [`${id}: expected ${expected}, found ${found} ${JSON.stringify(refusal)}`]
  if (refusal === undefined) return []
  const { code, subject, need, have } = refusal
  const isWhole = Object.hasOwn(codes, code) && !!subject && need !== undefined && have !== undefined
  return isWhole ? [] : [`${id}: the reason is incomplete: ${JSON.stringify(refusal)}`]
}
