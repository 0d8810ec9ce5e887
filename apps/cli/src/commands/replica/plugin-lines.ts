import { type Screen, toTable } from '../../output/table.ts'

/** A replica with the plug-ins that it has loaded. They are null if it does not report them. */
export interface WithPlugins {
  readonly id: string
  readonly answers: boolean
  readonly plugins: readonly { readonly name: string; readonly version: string }[] | null
}

const NONE = { name: '-', version: '-' }
const UNKNOWN = { name: '?', version: '?' }

/** A table with a row for each plug-in of each replica. Decisions of a profile with a plug-in need the same version on all replicas. */
export function toPluginLines(replicas: readonly WithPlugins[], screen?: Screen): readonly string[] {
  if (replicas.every(({ plugins }) => plugins?.length === 0)) return ['No live replica has loaded plug-ins.']
  return toTable(
    [{ head: 'replica', cut: 'middle', key: true }, { head: 'plug-in' }, { head: 'version' }],
    replicas.flatMap(({ id, answers, plugins }) =>
      (plugins === null ? [UNKNOWN] : plugins.length === 0 ? [NONE] : plugins).map(({ name, version }) => [
        `${id}${answers ? ' *' : ''}`,
        name,
        version,
      ]),
    ),
    screen,
  )
}
