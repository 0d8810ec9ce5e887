import {
  COMPUTE,
  isOwnNamespace,
  limits,
  namespaceNamed,
  ownNamespaces,
  type Plugins,
  type Problem,
  problemAt,
} from '@gantt/scheduler-core'
import type { Documents } from '../../plugin/outside/documents.ts'
import { measureJson } from '../calls/json-size.ts'
import { type Issue, issue, under } from '../calls/outcome.ts'
import { checkName, checkNames } from '../calls/text.ts'
import type { Read, ReportInput } from './report-input.ts'

/** The errors in a report under a namespace that are found without calling the namespace's plug-in. */
export function checkNamespace(
  { namespace, version, document }: NonNullable<ReportInput['namespace']>,
  path: readonly string[],
  plugins: Plugins,
): Issue[] {
  const issues = checkName([...path, 'version'], version, { max: 64 })
  if (!/^[a-z][a-z0-9._-]{0,62}$/.test(namespace))
    issues.push(
      issue([...path, 'namespace'], namespace, 'be a lower-case letter and up to 62 letters, digits, dots, dashes and underscores'),
    )
  if (namespace === COMPUTE)
    issues.push(issue([...path, 'namespace'], namespace, 'be a namespace of your own: compute is reported as full or delta'))
  const { documentLength } = limits
  // a document with more values than this also has more characters
  const { characters } = measureJson(document ?? null, { characters: documentLength, values: documentLength })
  if (characters > documentLength)
    issues.push(issue([...path, 'document'], document, `have at most ${documentLength} characters of JSON; it has more`))
  if (issues.length === 0) issues.push(...checkNames([...path, 'document'], document))
  if (issues.length > 0) return issues
  const known = namespaceNamed(namespace, plugins)
  if (known === undefined && !isOwnNamespace(namespace)) {
    const names = [...ownNamespaces, ...plugins.namespaces.map(({ name }) => name)].join(', ')
    const rule = `be a namespace that this replica knows: ${names}. Plug-ins can add namespaces (GANTT_PLUGINS)`
    return [issue([...path, 'namespace'], namespace, rule, 'stats.unknown_namespace')]
  }
  const parsed = known?.parse(version, document)
  if (parsed === undefined || parsed.ok) return issues
  // the core's messages name paths within the document; they do not begin with `document`
  const ofDocument = (problem: Problem): Problem =>
    problem.path[0] === 'document' ? problemAt({ ...problem, path: problem.path.slice(1) }, problem.path) : problem
  return under(path, parsed.problems.map(ofDocument))
}

/** A document in a plug-in's namespace, with the index of its report in the call. */
interface Reported {
  readonly at: number
  readonly document: unknown
}

/**
 * If a plug-in finds the document of a report invalid, replaces the report by the errors in the document. A plug-in is called only for
 * documents of its own namespaces.
 */
export async function withDocuments(documents: Documents, read: readonly Read[]): Promise<readonly Read[]> {
  const reported = new Map<string, Reported[]>()
  for (const [at, one] of read.entries()) {
    if (!('report' in one) || one.report.type !== 'namespace' || isOwnNamespace(one.report.namespace)) continue
    const { namespace, document } = one.report
    const own = reported.get(namespace) ?? []
    own.push({ at, document })
    reported.set(namespace, own)
  }
  if (reported.size === 0) return read
  const answered = [...read]
  const ask = async (namespace: string, own: readonly Reported[]): Promise<void> => {
    const checked = await documents.check(
      namespace,
      own.map(({ document }) => document),
    )
    for (const [i, { at }] of own.entries()) {
      const problems = checked[i] ?? []
      if (problems.length > 0) answered[at] = { issues: under(['input', 'updates', String(at), 'report', 'namespace'], problems) }
    }
  }
  await Promise.all([...reported].map(([namespace, own]) => ask(namespace, own)))
  return answered
}
