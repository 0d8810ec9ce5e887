import { fileURLToPath } from 'node:url'
import type { ResourceName } from '@gantt/client'
import { type Collected, readOutput } from './output.ts'
import { type Containment, findContainment, PROGRAM_FOLDERS } from './processes/containment.ts'
import { type Failed, runProcess } from './processes/run-process.ts'
import { concealing } from './secrets.ts'
import type { CollectorSettings } from './settings.ts'

/** What one run of a collector produced, or how it failed. */
export type Result = { readonly collected: Collected } | Failed

/** The environment of every collector. The agent's own environment is not passed on, since it can contain the key. */
const ENVIRONMENT = { PATH: PROGRAM_FOLDERS.join(':'), LANG: 'C.UTF-8' }

/**
 * Runs a collector once. On its standard input it gets one JSON object: `host` and `node`, `namespace`, and its `options`. Never rejects.
 */
export async function collectOnce(settings: CollectorSettings, name: ResourceName, signal: AbortSignal): Promise<Result> {
  const { namespace, options, timeoutSeconds, memoryMib, user, env, work, pidNamespace } = settings
  const own = { host: name.host, node: name.node ?? name.host, namespace, options }
  const [file, ...args] = work.kind === 'command' ? work.command : moduleCommand(memoryMib)
  const conceal = concealing(settings)
  const input = { ...own, ...(work.kind === 'module' && { module: work.file }), ...(work.kind === 'own' && { collector: work.name }) }
  const containment: Containment = pidNamespace ? await findContainment() : { kind: 'search', reason: 'its settings say so' }
  const ran = await runProcess({
    containment,
    ...{ file, args, user, conceal, signal },
    env: { ...ENVIRONMENT, ...env, GANTT_COLLECTOR: settings.name },
    input: JSON.stringify(input),
    timeoutMs: timeoutSeconds * 1_000,
    memoryBytes: memoryMib * 2 ** 20,
  })
  return 'error' in ran ? ran : readOutput(ran.output, { name, namespace, conceal })
}

/** The built program that imports a module and prints what it returns. Tests run the sources, but Node can only run the built program. */
const RUN_MODULE = fileURLToPath(
  new URL(import.meta.url.includes('/dist/') ? 'run-module.js' : '../../dist/run-module.js', import.meta.url),
)

/** The command that runs a module in a process of its own. */
const moduleCommand = (memoryMib: number): readonly [string, ...string[]] => [
  process.execPath,
  `--max-old-space-size=${memoryMib}`,
  RUN_MODULE,
]
